/** Stands in the place of what is not shared. */
export const notShared = '(not shared)'

/** Tells if a text has one of the forms that values of a header or a parameter are known to have. */
type Form = (value: string) => boolean

const algorithms = new Set(['AWS4-HMAC-SHA256', 'AWS4-ECDSA-P256-SHA256'])
const markers =
  /^(?:UNSIGNED-PAYLOAD|STREAMING-(?:UNSIGNED-PAYLOAD|AWS4-(?:HMAC|ECDSA-P256)-SHA256-PAYLOAD)(?:-TRAILER)?)$/
const instant = /^\d{8}T\d{6}Z$/
const mediaType =
  /^(?:\*|application|audio|font|image|message|model|multipart|text|video)\/(?:\*|[a-z]{1,20}(?:[-.+][a-z]{1,20}){0,5})(?:; ?charset=(?:utf-8|utf-16|us-ascii|iso-8859-1))?(?:; ?q=[\d.]{1,5})?$/i
const codings = /^(?:gzip|deflate|br|zstd|compress|identity|aws-chunked|\*)(?:; ?q=[\d.]{1,5})?$/

const services = new Set(
  (
    's3 s3-outposts s3-object-lambda s3express s3tables aoss es execute-api sts iam ec2 sns sqs lambda dynamodb ' +
    'kms ssm logs monitoring events kinesis firehose bedrock secretsmanager glacier ecr ecs eks rds sagemaker ' +
    'appsync iotdata iotdevicegateway polly transcribe translate cognito-idp cognito-identity route53 cloudfront ' +
    'ses email states service svc search analytics storage host glue athena redshift managedblockchain aps'
  ).split(' '),
)

/** A region as clouds name theirs; no word that could be a password. */
const region =
  /^(?:[a-z]{2,3}(?:-(?:gov|iso|isob|isoe|isof))?-(?:central|north|south|east|west|northeast|northwest|southeast|southwest)(?:-\d{1,3})?|[a-z]{2,4}\d{0,2}|auto|local|default|garage|minio|global|us-standard)$/

const isIn =
  (...values: readonly string[]): Form =>
  (value) =>
    values.includes(value)
const matches =
  (pattern: RegExp): Form =>
  (value) =>
    pattern.test(value)
const isListOf =
  (form: Form): Form =>
  (value) =>
    value.split(/ ?, ?/).every(form)

/** Headers whose values are shared where they have their form. */
const headers: ReadonlyMap<string, Form> = new Map([
  ['accept', isListOf(matches(mediaType))],
  ['accept-encoding', isListOf(matches(codings))],
  ['content-encoding', isListOf(matches(codings))],
  ['content-length', matches(/^\d{1,15}$/)],
  ['content-type', matches(mediaType)],
  [
    'date',
    matches(/^(?:\d{8}T\d{6}Z|[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT)$/),
  ],
  ['host', matches(/^(?:[a-z\d](?:[a-z\d._-]{0,252})|\[[\da-f:]{2,39}\])(?::\d{1,5})?$/i)],
  ['range', matches(/^bytes=\d{0,15}-\d{0,15}$/)],
  [
    'x-amz-acl',
    isIn(
      'private',
      'public-read',
      'public-read-write',
      'authenticated-read',
      'aws-exec-read',
      'bucket-owner-read',
      'bucket-owner-full-control',
      'log-delivery-write',
    ),
  ],
  ['x-amz-content-sha256', matches(markers)],
  ['x-amz-date', matches(instant)],
  ['x-amz-decoded-content-length', matches(/^\d{1,15}$/)],
  [
    'x-amz-storage-class',
    matches(
      /^(?:STANDARD|STANDARD_IA|ONEZONE_IA|INTELLIGENT_TIERING|REDUCED_REDUNDANCY|GLACIER|GLACIER_IR|DEEP_ARCHIVE|OUTPOSTS|SNOW|EXPRESS_ONEZONE)$/,
    ),
  ],
  ['x-amz-trailer', matches(/^x-amz-checksum-(?:crc32|crc32c|crc64nvme|sha1|sha256)$/)],
])

/** Parameters whose values are shared where they have their form. */
const parameters: ReadonlyMap<string, Form> = new Map([
  ['delimiter', matches(/^(?:%2F|%7C|%2C|\/|-|_)$/i)],
  ['encoding-type', isIn('url')],
  ['list-type', isIn('1', '2')],
  ['max-keys', matches(/^\d{1,5}$/)],
  ['partNumber', matches(/^\d{1,5}$/)],
  ['X-Amz-Algorithm', (value: string) => algorithms.has(value)],
  ['X-Amz-Date', matches(instant)],
  ['X-Amz-Expires', matches(/^\d{1,7}$/)],
  ['X-Amz-SignedHeaders', (value: string) => value.split(/;|%3B/i).every(isHeaderName)],
])

/** Shares the value of a header where it has its form. */
export function shareHeader(name: string, value: string): string {
  return headers.get(name)?.(value) === true ? value : notShared
}

/** Shares a query: its plain names, and the values of known ones. */
export function shareQuery(query: string): string {
  return query
    .split('&')
    .map((piece) => {
      const equals = piece.indexOf('=')
      const [name, value] =
        equals < 0 ? [piece, ''] : [piece.slice(0, equals), piece.slice(equals + 1)]
      const isShared = value === '' || parameters.get(name)?.(value) === true
      return `${shareSegment(name)}${equals < 0 ? '' : '='}${isShared ? value : notShared}`
    })
    .join('&')
}

/** Shares a path, segment by segment. */
export function sharePath(path: string): string {
  return path.split('/').map(shareSegment).join('/')
}

/** Shares the names of headers that are signed. */
export function shareNames(names: string): string {
  return names
    .split(';')
    .map((name) => (isHeaderName(name) ? name : notShared))
    .join(';')
}

/** Tells if a text can be the name of a header; none is as mixed as a key. */
export function isHeaderName(name: string): boolean {
  return /^[a-z\d-]{1,80}$/.test(name) && isPlain(name)
}

/** Shares a credential scope, part by part. */
export function shareScope(scope: string): string {
  const [day = '', place = '', service = '', end = '', ...others] = scope.split('/')
  if (scope === notShared) return scope
  const isScope = /^\d{8}$/.test(day) && end === 'aws4_request' && others.length === 0
  if (!isScope) return notShared
  const shown = [
    region.test(place) || place === '' ? place : notShared,
    services.has(service) ? service : notShared,
  ]
  return [day, ...shown, end].join('/')
}

/** The other lines whose form is known. */
export const lineForms: ReadonlyMap<string, Form> = new Map([
  ['method', matches(/^(?:GET|HEAD|PUT|POST|DELETE|PATCH|OPTIONS|TRACE|CONNECT)$/)],
  ['payload hash', matches(markers)],
  ['algorithm', (value: string) => algorithms.has(value)],
  ['date', matches(instant)],
])

/** Shares a segment of a path or a name: words and short numbers, but nothing that may be a key, a token or an address. */
function shareSegment(segment: string): string {
  return isPlain(segment) ? segment : notShared
}

/** A word, also in camel case, with a short number before or behind it; or a short number. */
const plainWord =
  /^(?:\d{1,4}\p{L}{1,3}|\p{L}{1,3}\d{1,4}|\p{L}\p{Ll}{0,15}\d{0,4}|\p{Lu}{1,12}\d{0,4}|\p{Ll}{2,15}(?:\p{Lu}\p{Ll}{1,11}){1,2}|(?:\p{Lu}\p{Ll}{2,11}){2,3}|\p{Lo}{1,16}|\d{1,8})$/u

function isPlain(segment: string): boolean {
  if (segment === notShared) return true
  // As it is signed, it is ASCII without blanks: nobody writes sentences in it.
  if (!/^[!-~]*$/.test(segment)) return false
  let text = segment
  // A service other than S3 signs a path that is encoded twice.
  for (let round = 0; round < 3 && text.includes('%'); round += 1) text = decoded(text)
  if (text.length > 100 || /[@:%\p{Cc}\p{Cf}]/u.test(text)) return false
  const words = text.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => word !== '')
  return words.length <= 10 && words.every((word) => plainWord.test(word.replace(/\p{M}/gu, '')))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
