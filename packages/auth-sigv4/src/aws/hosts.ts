import { documented } from './documented.ts'
import { exceptions, regionless, serviceParts } from './exceptions.ts'

/** What the host of a request tells of its signature. */
export interface HostReading {
  /** The labels that name the service, without those for FIPS and dual-stack, such as `runtime.sagemaker`. */
  readonly name: string
  /** The service in the credential scope, if the name is one, or `''` where requests take no signature. */
  readonly service: string | undefined
  /** The region that the host names, or that of what it names, if any. */
  readonly region: string | undefined
  /** The region of what is not in a region, such as IAM, in the host's partition. */
  readonly home: string
  /** The bucket that a host of S3's public endpoints names, `''` where only the path does. */
  readonly bucket: string | undefined
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
  'amazonaws.eu': 'eusc-de-east-1',
  'api.amazonwebservices.eu': 'eusc-de-east-1',
}

/** The domains of AWS whose https hosts are covered. */
export const publicDomains: readonly string[] = /* @__PURE__ */ Object.keys(publicHomes)

/** Hosts in another form than `service.region`, and how they read in that form. */
const forms: readonly (readonly [form: RegExp, regular: string])[] = [
  // https://docs.aws.amazon.com/vpc/latest/privatelink/privatelink-access-aws-services.html
  [/^(?!.*vpce-svc-)(.*\.)?vpce-[^.]+\.(.+)\.vpce$/, '$1$2'],
  // https://docs.aws.amazon.com/general/latest/gr/s3.html
  [/(^|\.)s3-external-1$/, '$1s3.us-east-1'],
  [/(^|\.)(s3(?:-fips)?)-(?=[^.]+-\d+$)/, '$1$2.'],
  [/\.us-gov$/, '.us-gov-west-1'],
]

/** The region stands last, or before one label, but not before those of S3: a bucket may have the name of a region. */
const atRegion = /^(.*\.|)([a-z]{2,4}(?:-[a-z]+){1,2}-\d+|global$)(?:\.((?!s3)[^.]+))?$/

/** Tells if a region is of the same partition as another: the cloud that an account is in. */
export function isSamePartition(region: string, other: string): boolean {
  return partitionOf(region) === partitionOf(other)
}

function partitionOf(region: string): string | undefined {
  return /^(?:cn|us-gov|us-isob?|eusc)-/.exec(region)?.[0]
}

/**
 * Reads the name of a host, or returns `undefined` if it is none of AWS, or its region is of another partition. One that
 * names no service may be a customer's own machine, such as `….compute.amazonaws.com`.
 *
 * @param url - Its host is in lower case and ASCII.
 */
export function readHost({
  hostname,
  pathname,
}: Pick<URL, 'hostname' | 'pathname'>): HostReading | undefined {
  const [domain, ownHome = ''] =
    Object.entries(homes).find(([name]) => hostname.endsWith(`.${name}`)) ?? []
  if (!domain) return undefined
  let names = hostname.slice(0, -domain.length - 1)
  // A bucket has 32 labels at most.
  if (!/^[\w-]+(?:\.[\w-]+){0,39}$/.test(names)) return undefined
  // There, the label `bucket` says that the bucket is in the path.
  const isInVpc = names.endsWith('.vpce')
  for (const [form, regular] of forms) names = names.replace(form, regular)
  const [, before = names, place, after = ''] = atRegion.exec(names) ?? []
  // GovCloud has the domains of the public regions.
  const home = place?.startsWith('us-gov-') ? ownHome.replace(/^us-east/, 'us-gov-west') : ownHome
  if (place && place !== 'global' && !isSamePartition(place, home)) return undefined
  const labels = (before + after).replace(/(?:\.dualstack)?\.?$/, '')
  const [, bucket = '', s3] = /^(?:(.+)\.)?(s3)(?:-fips)?$/.exec(labels) ?? []
  const name = s3 ?? labels.replace(/^fips\.(?!s3)|-fips(?=\.|$)/g, '')
  const isGlobal = place === 'global' || (place === undefined && regionless.includes(name))
  const region = isGlobal ? home : place
  // What belongs to customers is below `on.aws`, or before the region.
  const isRegular = region !== undefined && after === '' && domain !== 'on.aws'
  return {
    name,
    service: findService(name + pathname, isRegular),
    region,
    home,
    bucket: s3 && !isInVpc ? bucket : undefined,
  }
}

/** A pattern, and the signing name that it is replaced with. */
type ServiceName = readonly [pattern: RegExp, signingName: string]

const exceptional = /* @__PURE__ */ [...documented, ...exceptions].map(readEntry)

/** The signing name alone, or after a part of the service. */
const regular = /* @__PURE__ */ readEntry(`(?:(?:${serviceParts.join('|')}).)?(*)`)

/** Reads an entry of the lists; the signing name is the first group of its pattern, if none is given. */
export function readEntry(entry: string): ServiceName {
  const [name = '', signingName = '$1'] = entry.split('=')
  const source = name.replaceAll('.', String.raw`\.`).replaceAll('*', '[^./]+')
  return [new RegExp(`^${source}/.*`), signingName]
}

/** @param target - What names the service, and the path: two versions of a service may share a host. */
function findService(target: string, isRegular: boolean): string | undefined {
  const known = isRegular ? [...exceptional, regular] : exceptional
  const [pattern, signingName = ''] = known.find(([form]) => form.test(target)) ?? []
  return pattern && target.replace(pattern, signingName)
}
