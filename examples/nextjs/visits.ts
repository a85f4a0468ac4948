// What visitors of the Next.js application do, also without script in their browser.
import type { Emulator, EmulatorUser } from '@svc/emulator'
import { submitForm } from '../stand-ins/form.ts'

/** A visitor with an account. */
export const ann: EmulatorUser = {
  username: 'ann',
  password: 'not-a-secret-ann',
  groups: [{ id: 'of-ann', name: 'Reports of Ann', permissions: [] }],
}

/** Uploads a report, with its length and without, and reads the list twice: once from the cache. */
export async function upload(emulator: Emulator, origin: string): Promise<void> {
  const stream = new Blob(['a;b']).stream()
  for (const body of ['a;b', stream]) {
    const init = { method: 'PUT', body, duplex: 'half' as const }
    console.log('upload', (await fetch(`${origin}/api/reports/today.csv`, init)).status)
  }
  const read = async () => (await fetch(`${origin}/api/cached-reports`)).text()
  const lists = [await read(), await read()].map((list) => /<Size>\d+/.exec(list)?.[0])
  console.log(...lists, emulator.requests.filter(({ path }) => path === '/V1/').length)
}

/** Opens the link that a page gives to its client component. */
export async function copyLink(origin: string): Promise<void> {
  const page = await (await fetch(`${origin}/links`)).text()
  const [link = ''] = /http:[^"\\]+(?:\\+u0026[^"\\]+)+/.exec(page) ?? []
  console.log('link', await (await fetch(link.replaceAll(/\\+u0026/g, '&'))).text())
}

/** Signs in while the service is down, with a wrong password and the right one; out and in; and has it changed. */
export async function signIn(emulator: Emulator, origin: string): Promise<void> {
  let cookie = ''
  const submit = async (path: string, fields: Record<string, string>): Promise<void> => {
    const submitted = await submitForm(origin + path, fields, cookie)
    console.log(submitted.seen)
    cookie = submitted.cookie
  }
  const open = async (): Promise<void> => {
    const visit = async (path: string) => fetch(origin + path, { headers: { cookie } })
    const page = await (await visit('/my-groups')).text()
    const seen = /Reports of Ann|http-equiv="refresh" content="[^"]+"/.exec(page)?.[0]
    console.log((await visit('/api/my-groups')).status, seen)
  }
  const { username, password } = ann
  emulator.fault({ path: '/user/login', status: 503, times: 1 })
  for (const tried of ['a guess', 'another', password]) {
    await submit('/login', { username, password: tried })
  }
  await open()
  await submit('/my-groups', {})
  await open()
  await submit('/login', { username, password })
  console.log(`${emulator.logins} login`)
  emulator.revokeTokens()
  emulator.fault({ path: '/user/login', status: 401 })
  await open()
}
