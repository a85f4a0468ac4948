import { formatDuration } from '../../output/instant.ts'
import { decodeKey, isAwsId, trimKey } from '../../request/key-faults.ts'
import type { RefusedRequest, Variant } from './variant.ts'
import { wireVariants } from './wire-variants.ts'

/**
 * Lists the ways that make sense for a request, the most usual cause first. The clock and the region that the
 * response names come before all others and go along with them, since no server accepts the request without.
 */
export function listVariants(refused: RefusedRequest): Variant[] {
  const [clock, region] = [clockVariant(refused), namedRegion(refused)]
  const named = clock && region ? combine(clock, region) : (clock ?? region)
  const others = [
    ...keyVariants(refused),
    ...regionVariants(refused),
    ...wireVariants(refused),
    ...formVariants(refused),
  ]
  if (!named) return others
  const first = clock && region ? [clock, region, named] : [named]
  return [...first, ...others.map((other) => combine(named, other))]
}

function combine(one: Variant, other: Variant): Variant {
  return {
    ...one,
    ...other,
    name: `${one.name}, and ${other.name}`,
    remedy: `${one.remedy} ${other.remedy}`,
    settings: { ...one.settings, ...other.settings },
  }
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

/** The difference of clocks that every server accepts; they allow 5 to 15 minutes. */
const toleratedMs = 4 * 60_000

function clockVariant({ headers, at }: RefusedRequest): Variant | undefined {
  const offsetMs = Date.parse(headers.get('date') ?? '') - at
  if (!(Math.abs(offsetMs) > toleratedMs)) return undefined
  const distance = formatDuration(Math.abs(offsetMs))
  return {
    name: `with the clock ${distance} ${offsetMs > 0 ? 'later' : 'earlier'}, as the service has it`,
    remedy: `Set this machine's clock, which is ${distance} ${offsetMs > 0 ? 'behind' : 'ahead of'} that of the service.`,
    offsetMs,
  }
}

function namedRegion({ signing, diagnosis, headers }: RefusedRequest): Variant | undefined {
  const difference = diagnosis.differences.find(({ line }) => line === 'region')
  const region = difference?.theirs ?? headers.get('x-amz-bucket-region')
  return region && isRegion(region) && region !== signing.region ? forRegion(region) : undefined
}

/** Tells if a text can be a region, and be shown as a part of a command line. */
function isRegion(text: string): boolean {
  return /^[\w.-]+$/.test(text)
}

function forRegion(region: string): Variant {
  return {
    name: `for the region ${region}`,
    remedy: `Give --region ${region}, or set SVC_AUTH_REGION=${region}.`,
    settings: { region },
  }
}

/** Lists regions that a request may be for where the response names none. */
function regionVariants(refused: RefusedRequest): Variant[] {
  if (namedRegion(refused)) return []
  const { request, signing } = refused
  const [, ofHost] =
    /(?:^|[.-])([a-z]{2}(?:-(?:gov|iso[a-z]?))?-[a-z]+-\d)(?=\.|$)/.exec(request.url.hostname) ?? []
  return [...new Set([ofHost ?? signing.region, 'us-east-1'])]
    .filter((region) => region !== signing.region)
    .map(forRegion)
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
        "Give -H 'x-amz-content-sha256: UNSIGNED-PAYLOAD', or in a program payload: 'unsigned': the server reads another body, or none.",
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
      remedy: "No flag does that; in a program, createSigV4Auth({ …, service: 'execute-api' }).",
      settings: { service: 'execute-api' },
    },
  ]
}
