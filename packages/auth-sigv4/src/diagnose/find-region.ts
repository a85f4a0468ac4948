import type { Finding } from './diagnosis.ts'
import type { ErrorAnswer } from './error-answer.ts'
import type { OwnSignature } from './own-evidence.ts'

/** A region that the server names, or a service, where ours is another one. */
export function regionFinding(answer: ErrorAnswer, own: OwnSignature): Finding | undefined {
  const { element, header, message } = answer
  const region =
    element('Region')?.trim() ||
    header('x-amz-bucket-region') ||
    (/region/i.test(message) && /expecting '([^']*)'/.exec(message)?.[1])
  if (region && region !== own.region) {
    return {
      verdict: 'region',
      meaning: `The server expects the region '${region}', but the request is signed for '${own.region}'.`,
      differences: [
        {
          line: 'region',
          ours: own.region,
          theirs: region,
          hint: `Use createSigV4Auth({ …, region: '${region}' }) for this server.`,
        },
      ],
    }
  }
  const service = /belongs to "([^"]*)"/.exec(message)?.[1]
  if (!service || service === own.service) return undefined
  return {
    verdict: 'string-to-sign',
    meaning: `The server's service is '${service}', but the request is signed for '${own.service}'.`,
    differences: [
      {
        line: 'service',
        ours: own.service,
        theirs: service,
        hint: `Use createSigV4Auth({ …, service: '${service}' }) for this server.`,
      },
    ],
  }
}
