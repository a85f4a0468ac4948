import { documented } from './documented.ts'
import { exceptions, regionless } from './exceptions.ts'

/** The parts of a host of AWS, in the regular form: what names the service, then the region. */
export interface HostParts {
  /** The labels that name the service, without those for FIPS and dual-stack, such as `runtime.sagemaker`. */
  readonly key: string
  /** The region that the host names, if any. */
  readonly region: string | undefined
  /** The region of what is not in a region, such as IAM, in the host's partition. */
  readonly home: string
  /** The bucket that a host of S3's public endpoints names, `''` where only the path does. */
  readonly bucket: string | undefined
  /** `true` where any single label is the name of a service: what belongs to customers is below `on.aws`. */
  readonly isApi: boolean
}

/** What the host of a request tells of its signature. */
export interface HostReading extends Pick<HostParts, 'region' | 'home' | 'bucket'> {
  /** The service in the credential scope. */
  readonly service: string
}

/** The domains of AWS that are covered, each with the region of what is in none of the regions there. */
const publicHomes: Readonly<Record<string, string>> = {
  'amazonaws.com': 'us-east-1',
  'api.aws': 'us-east-1',
  'on.aws': 'us-east-1',
  'amazonaws.com.cn': 'cn-northwest-1',
}

/** All domains of AWS: hosts below the others are read where they are listed as origins. */
const homes: Readonly<Record<string, string>> = {
  ...publicHomes,
  'api.amazonwebservices.com.cn': 'cn-northwest-1',
  'c2s.ic.gov': 'us-iso-east-1',
  'sc2s.sgov.gov': 'us-isob-east-1',
  'cloud.adc-e.uk': 'eu-isoe-west-1',
  'csp.hci.ic.gov': 'us-isof-south-1',
  'amazonaws.eu': 'eusc-de-east-1',
  'api.amazonwebservices.eu': 'eusc-de-east-1',
}

/** The domains of AWS whose https hosts are covered. */
export const publicDomains: readonly string[] = /* @__PURE__ */ Object.keys(publicHomes)

const regionPattern = String.raw`[a-z]{2,4}(?:-[a-z]+){1,2}-\d+`

/** Hosts in another form than `service.region`, and how they read in that form. */
const forms: readonly (readonly [form: RegExp, regular: string])[] = [
  // https://docs.aws.amazon.com/vpc/latest/privatelink/privatelink-access-aws-services.html
  [/^(.*\.)?vpce-(?!svc-)[^.]+\.(?!vpce-svc-)(.+)\.vpce$/, '$1$2'],
  [new RegExp(String.raw`(^|\.)(${regionPattern})\.(es|aoss|cloudsearch|queue)$`), '$1$3.$2'],
  // https://docs.aws.amazon.com/general/latest/gr/s3.html
  [new RegExp(String.raw`(^|\.)(s3(?:-fips)?)-(${regionPattern})$`), '$1$2.$3'],
  [/(^|\.)s3-external-1$/, '$1s3.us-east-1'],
  [/\.us-gov$/, '.us-gov-west-1'],
]

const atRegion = new RegExp(String.raw`^(.+)\.(${regionPattern}|global)$`)

/** Tells if a region is of the same partition as another: the cloud that an account is in. */
export function isSamePartition(region: string, other: string): boolean {
  return partitionOf(region) === partitionOf(other)
}

function partitionOf(region: string): string | undefined {
  return /^(?:cn|us-gov|us-iso[a-z]?|eu-isoe|eusc)-/.exec(region)?.[0]
}

/**
 * Takes the name of a host apart, or returns `undefined` if it is none of AWS, or its region is of another partition.
 *
 * @param hostname - As `URL` has it: in lower case and ASCII.
 */
export function splitHost(hostname: string): HostParts | undefined {
  const domain = Object.keys(homes).find((name) => hostname.endsWith(`.${name}`))
  let home = homes[domain ?? '']
  // No name in DNS is longer.
  if (domain === undefined || home === undefined || hostname.length > 253) return undefined
  let names = hostname.slice(0, -domain.length - 1)
  if (!/^[\w-]+(?:\.[\w-]+)*$/.test(names)) return undefined
  // There, the label `bucket` says that the bucket is in the path.
  const isInVpc = names.endsWith('.vpce')
  for (const [form, regular] of forms) names = names.replace(form, regular)
  const [, before = names, named] = atRegion.exec(names) ?? []
  // GovCloud has the domains of the public regions.
  if (home === 'us-east-1' && named?.startsWith('us-gov-')) home = 'us-gov-west-1'
  const region = named === 'global' ? home : named
  if (region && !isSamePartition(region, home)) return undefined
  const service = before.replace(/\.dualstack$/, '')
  const [, bucket, s3] = /^(?:(.+)\.)?(s3)(?:-fips)?$/.exec(service) ?? []
  const key = service
    .replace(/^fips\.|-fips(?=\.|$)/g, '')
    .replace(/\bs3express-[^.]+$/, 's3express')
  return {
    key,
    region,
    home,
    bucket: s3 && !isInVpc ? (bucket ?? '') : undefined,
    isApi: domain !== 'on.aws',
  }
}

/**
 * Reads service and region from the name of a host, or returns `undefined` if it is none of AWS or names no service:
 * the hosts of customers' own machines, such as `….compute.amazonaws.com`, are below the same domains.
 */
export function readHost(hostname: string): HostReading | undefined {
  const parts = splitHost(hostname)
  if (!parts) return undefined
  const { key, home, bucket, isApi } = parts
  const region = parts.region ?? (regionless.includes(key) ? home : undefined)
  const single = key.replace(/^api\./, '')
  const isName = isApi && region && /^[^.]+$/.test(single)
  const service = findService(key) ?? (isName ? single : undefined)
  return service === undefined ? undefined : { service, region, home, bucket }
}

/** Signing names by what names the service in a host. */
const signingNames = /* @__PURE__ */ new Map(
  [...documented, ...exceptions].map((entry): [key: string, name: string] => {
    const [key = '', name = key.replace(/.*\./, '')] = entry.split('=')
    return [key, name]
  }),
)

function findService(key: string): string | undefined {
  const tails = key.split('.').map((_, index, labels) => labels.slice(index).join('.'))
  const family = key.replace(/^[^.]*-/, '*-')
  const patterns = [key, `*.${tails[1]}`, family, ...tails.map((tail) => `**.${tail}`)]
  return patterns.map((pattern) => signingNames.get(pattern)).find(Boolean)
}
