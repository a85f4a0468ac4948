import { encodeStrictly } from './percent-encoding.ts'
import { sort } from './sort.ts'

/**
 * How repeated values of a parameter are signed: `by-value`, sorted by value, as AWS specifies;
 * `wire-order`, in the order of the URL, as MinIO and Ceph do.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export type RepeatedParameters = 'by-value' | 'wire-order'

/** A query as it is sent, and as it stands in the canonical request; both without `?`. */
export interface CanonicalQuery {
  readonly wire: string
  readonly canonical: string
}

/**
 * The query in one form: every parameter as `name=value`, strictly encoded, in order of names. Values
 * of a repeated name keep their order on the wire, since it carries meaning.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html#canonical-request
 */
export function canonicalQuery(search: string, repeated: RepeatedParameters): CanonicalQuery {
  if (search.length < 2) return { wire: '', canonical: '' }
  const parameters: Parameter[] = []
  for (const piece of search.slice(1).split('&')) {
    if (piece === '') continue
    const equals = piece.indexOf('=')
    parameters.push({
      name: encode(equals < 0 ? piece : piece.slice(0, equals)),
      value: equals < 0 ? '' : encode(piece.slice(equals + 1)),
    })
  }
  const wire = join(sort(parameters, byName))
  const isRepeated = parameters.some(({ name }, index) => parameters[index + 1]?.name === name)
  if (!isRepeated || repeated === 'wire-order') return { wire, canonical: wire }
  return { wire, canonical: join(sort(parameters, byNameAndValue)) }
}

interface Parameter {
  readonly name: string
  readonly value: string
}

function encode(text: string): string {
  return encodeStrictly(text.includes('+') ? text.replaceAll('+', '%20') : text, '')
}

function join(parameters: readonly Parameter[]): string {
  let query = ''
  for (const { name, value } of parameters) query += `${query && '&'}${name}=${value}`
  return query
}

function byName(a: Parameter, b: Parameter): number {
  return compare(a.name, b.name)
}

function byNameAndValue(a: Parameter, b: Parameter): number {
  return compare(a.name, b.name) || compare(a.value, b.value)
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
