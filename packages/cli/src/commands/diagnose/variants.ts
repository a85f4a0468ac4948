import { formatDuration } from '../../output/instant.ts'
import { decodeKey, isAwsId, trimKey } from '../../request/key-faults.ts'
import type { RefusedRequest, Variant } from './variant.ts'
import { wireVariants } from './wire-variants.ts'

/** Lists the ways that make sense for a request, the most usual cause first. */
export function listVariants(refused: RefusedRequest): Variant[] {
  return [
    ...keyVariants(refused),
    ...clockVariants(refused),
    ...regionVariants(refused),
    ...wireVariants(refused),
    ...formVariants(refused),
  ]
}

function keyVariants({ signing: { apiKey } }: RefusedRequest): Variant[] {
  const { accessKeyId, secretAccessKey, sessionToken } = apiKey
  const { sessionToken: _left, ...permanent } = apiKey
  return [
    {
      name: 'with the key trimmed of quotes and other marks around it',
      remedy: 'Configure the access key ID and the secret without them.',
      settings: { credentials: trimKey(apiKey) },
    },
    {
      name: 'with the percent escapes of the key decoded',
      remedy: 'Configure the key as the console shows it; it was copied from a URL.',
      settings: { credentials: decodeKey(apiKey) },
    },
    ...(isAwsId(secretAccessKey)
      ? [
          {
            name: 'with the access key ID and the secret swapped',
            remedy: 'Swap them in the configuration.',
            settings: {
              credentials: { accessKeyId: secretAccessKey, secretAccessKey: accessKeyId },
            },
          },
        ]
      : []),
    ...(sessionToken === undefined
      ? []
      : [
          {
            name: 'without the session token',
            remedy: 'Remove the session token from the configuration: the key is not temporary.',
            settings: { credentials: permanent },
          },
        ]),
  ]
}

function clockVariants({ headers, at }: RefusedRequest): Variant[] {
  const offsetMs = Date.parse(headers.get('date') ?? '') - at
  // A response takes its time, and no server minds a minute.
  if (!(Math.abs(offsetMs) > 60_000)) return []
  const distance = formatDuration(Math.abs(offsetMs))
  return [
    {
      name: `with the clock ${distance} ${offsetMs > 0 ? 'later' : 'earlier'}, as the service has it`,
      remedy: `Set this machine's clock, which is ${distance} ${offsetMs > 0 ? 'behind' : 'ahead of'} that of the service.`,
      offsetMs,
    },
  ]
}

function regionVariants({ request, signing, diagnosis }: RefusedRequest): Variant[] {
  const named = diagnosis.differences.find(({ line }) => line === 'region')?.theirs
  const [, ofHost] =
    /(?:^|[.-])([a-z]{2}(?:-(?:gov|iso[a-z]?))?-[a-z]+-\d)(?=\.|$)/.exec(request.url.hostname) ?? []
  const regions = new Set([named, ofHost, 'us-east-1'])
  return [...regions]
    .filter((region): region is string => region !== undefined && region !== signing.region)
    .filter((region) => /^[\w.-]+$/.test(region))
    .map((region) => ({
      name: `for the region ${region}`,
      remedy: `Give --region ${region}, or set SVC_AUTH_REGION=${region}.`,
      settings: { region },
    }))
}

function formVariants({ request: { headers } }: RefusedRequest): Variant[] {
  const isSigned = (name: string): boolean =>
    /^(?:content-type|content-md5|range|if-.+|x-amz-.+)$/.test(name)
  const own = [...headers.keys()].filter(isSigned)
  return [
    {
      name: 'with the signature in the URL',
      remedy:
        'A proxy drops or changes the header authorization: let it pass it on, or use presigned URLs.',
      form: 'presigned',
    },
    {
      name: 'with the payload unsigned',
      remedy:
        "Sign with createSigV4Auth({ …, payload: 'unsigned' }), or give -H 'x-amz-content-sha256: UNSIGNED-PAYLOAD': the server reads another body, or none.",
      headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
      without: (name) => name === 'x-amz-content-sha256',
    },
    ...(own.length === 0
      ? []
      : [
          {
            name: `without ${own.join(', ')}`,
            remedy:
              'A proxy changes or drops one of these headers: let it pass them on as they came.',
            without: isSigned,
          },
        ]),
    {
      name: 'for the service execute-api',
      remedy: "Sign with createSigV4Auth({ …, service: 'execute-api' }).",
      settings: { service: 'execute-api' },
    },
  ]
}
