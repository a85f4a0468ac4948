import type { Finding } from './diagnosis.ts'
import type { ErrorAnswer } from './error-answer.ts'
import type { OwnSignature } from './own-signature.ts'

/** A region that the server names, or a service, where ours is another one. */
export function regionFinding(answer: ErrorAnswer, own: OwnSignature): Finding | undefined {
  const { element, header, message } = answer
  const region =
    element('Region')?.trim() ||
    header('x-amz-bucket-region') ||
    (/region/i.test(message) && quoted(message, "expecting '", "'"))
  if (region && region !== own.region) {
    return {
      verdict: 'region',
      meaning: `The server wants the region '${region}', and the request is signed for '${own.region}'.`,
      differences: [
        {
          line: 'region',
          ours: own.region,
          theirs: region,
          hint: `createSigV4Auth({ …, region: '${region}' }) fits this server.`,
        },
      ],
    }
  }
  const service = quoted(message, 'belongs to "', '"')
  const ours = own.stringToSign.split('\n')[2]?.split('/')[2] ?? ''
  if (!service || service === ours) return undefined
  return {
    verdict: 'string-to-sign',
    meaning: `The server is the service '${service}', and the request is signed for '${ours}'.`,
    differences: [
      {
        line: 'service',
        ours,
        theirs: service,
        hint: `createSigV4Auth({ …, service: '${service}' }) fits this server.`,
      },
    ],
  }
}

function quoted(text: string, before: string, after: string): string | undefined {
  const start = text.indexOf(before)
  if (start < 0) return undefined
  const end = text.indexOf(after, start + before.length)
  return end < 0 ? undefined : text.slice(start + before.length, end)
}
