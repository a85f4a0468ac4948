import type { Signed } from './ours.ts'
import type { Peer } from './peers.ts'

/** A known way in which a peer differs from us: it does exactly where this applies. */
export interface Rule {
  readonly why: string
  applies(signed: Signed): boolean
}

const isS3 = ({ given }: Signed): boolean => given.service === 's3'
const isPresigned = ({ given }: Signed): boolean => given.signedIn !== 'header'
const isNoUtf8 = (text: string): boolean => {
  try {
    decodeURIComponent(text)
    return false
  } catch {
    return true
  }
}
const names = ({ url }: Signed): string[] =>
  url.search === ''
    ? []
    : url.search
        .slice(1)
        .split('&')
        .map((parameter) => parameter.slice(0, parameter.indexOf('=')))
const has =
  (name: string) =>
  (signed: Signed): boolean =>
    names(signed).includes(name)
const isRepeated = (signed: Signed): boolean => new Set(names(signed)).size < names(signed).length

const utf8Headers: Rule = {
  why: 'hashes header values as UTF-8, where fetch sends Latin-1',
  applies: ({ headers }) => Object.values(headers).some((value) => /[^\t\x20-\x7e]/.test(value)),
}
const firstValue: Rule = {
  why: 'signs only the first value of a repeated parameter for s3',
  applies: (signed) => isS3(signed) && isRepeated(signed),
}
const emptyName: Rule = {
  why: 'leaves out parameters without a name',
  applies: has(''),
}
const proto: Rule = {
  why: 'loses a parameter __proto__ in an object',
  applies: has('__proto__'),
}
const noUtf8Query: Rule = {
  why: 'signs U+FFFD for bytes of the query that are no UTF-8',
  applies: ({ url }) => isNoUtf8(url.search),
}
const upperCase: Rule = {
  why: 'signs the method in upper case, where fetch sends an unusual one as it is',
  applies: ({ given }) => /[a-z]/.test(given.method),
}

export const rules: Readonly<Record<Peer['name'], readonly Rule[]>> = {
  aws4: [
    utf8Headers,
    firstValue,
    emptyName,
    proto,
    noUtf8Query,
    {
      why: 'throws for bytes of an s3 path that are no UTF-8',
      applies: (signed) => isS3(signed) && isNoUtf8(signed.url.pathname),
    },
    {
      why: 'loses the parameters after the first 1 000',
      applies: (signed) => names(signed).length > 1000,
    },
    {
      why: 'takes no payload hash for a presigned URL of s3',
      applies: (signed) =>
        isS3(signed) &&
        isPresigned(signed) &&
        (signed.headers['x-amz-content-sha256'] ?? 'UNSIGNED-PAYLOAD') !== 'UNSIGNED-PAYLOAD',
    },
  ],
  aws4fetch: [
    utf8Headers,
    firstValue,
    emptyName,
    noUtf8Query,
    upperCase,
    {
      why: 'encodes an s3 path twice whose bytes are no UTF-8',
      applies: (signed) => isS3(signed) && isNoUtf8(signed.url.pathname),
    },
  ],
  smithy: [
    utf8Headers,
    proto,
    noUtf8Query,
    {
      why: 'removes a date header',
      applies: ({ headers }) => 'date' in headers,
    },
    {
      why: 'moves x-amz-* headers of a presigned URL into its query',
      applies: (signed) =>
        isPresigned(signed) &&
        Object.keys(signed.headers).some((name) => name.startsWith('x-amz-')),
    },
  ],
  botocore: [
    utf8Headers,
    upperCase,
    {
      why: 'dates by a date header of the caller, and drops x-amz-date',
      applies: (signed) => 'date' in signed.headers && !isPresigned(signed),
    },
    {
      why: 'signs only the first value of a repeated parameter of a presigned URL',
      applies: (signed) => isPresigned(signed) && isRepeated(signed),
    },
    {
      why: 'signs U+FFFD for bytes of the query of a presigned URL that are no UTF-8',
      applies: (signed) => isPresigned(signed) && isNoUtf8(signed.url.search),
    },
    {
      why: 'hashes the body of an s3 request whatever payload hash the caller gives',
      applies: (signed) =>
        isS3(signed) &&
        !isPresigned(signed) &&
        signed.given.headers['x-amz-content-sha256'] === 'ab'.repeat(32),
    },
  ],
}
