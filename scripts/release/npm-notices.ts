const notice = /\nNot on npm yet: .+\n/g
const tarballs = /^The packages are \*\*not on npm yet\*\*[^]*?\n\n```sh\n[^]*?^```$/m
const install = '```sh\nnpm install @svc/service-auth @svc/emulator\n```'

/** Returns a document without the words that its packages are not on npm yet. */
export function withoutNotices(text: string): string {
  return text.replaceAll(notice, '').replace(tarballs, install)
}
