import { type Explanation, explain } from '@svc/auth-sigv4/explain'
import {
  readSignature,
  type ReadSignatureOptions,
  type SignatureRead,
} from '@svc/auth-sigv4/inspect'
import { formsOf } from '../input/body-forms.ts'
import { byteString, type PastedRequest } from '../input/pasted-request.ts'
import { type Change, changes, methods } from './changes.ts'
import { computedAlgorithm, engine, type SignedParts } from './signed-parts.ts'

/** A form of the request for which its signature is right. */
export interface Variant {
  readonly meaning: string
  readonly remedy: string
  /** `true` where the secret is another one, and not the form. */
  readonly isOfSecret: boolean
  /** The line that was signed, and the line in its place here; `undefined` where no single one differs. */
  readonly line: { readonly signed: string; readonly here: string } | undefined
}

/** The longest URL of which forms are tried. */
const maxUrl = 16_384

/**
 * Finds the form of a request that was signed, where it is not the one that stands here: the step that differs.
 * Only what gives the very signature is told, so nothing is guessed.
 */
export async function findVariant({
  request,
  read,
  key,
  explanation,
}: SignedParts): Promise<Variant | undefined> {
  if (!read) return undefined
  for (const change of changes) {
    const changed = change.request?.(request) ?? request
    const secretAccessKey = change.secret?.(key.secretAccessKey) ?? key.secretAccessKey
    const signed = await sign(changed, { ...change.options, secretAccessKey })
    if (!signed) continue
    const canonical = change.canonical?.(signed.canonicalRequest, changed)
    const computed =
      canonical === undefined
        ? signed.signature
        : await signatureOf(read, secretAccessKey, canonical)
    if (computed !== read.signature) continue
    return {
      meaning: change.meaning,
      remedy: remedyOf(change, changed),
      isOfSecret: change.secret !== undefined,
      line: differingLine(canonical ?? signed.canonicalRequest, explanation.canonicalRequest),
    }
  }
  return undefined
}

function differingLine(signed: string, here: string): Variant['line'] {
  const [own, others] = [signed.split('\n'), here.split('\n')]
  const differing = own.flatMap((line, index) => (line === others[index] ? [] : [index]))
  const [first] = differing
  if (first === undefined || differing.length > 1 || own.length !== others.length) return undefined
  return { signed: own[first] ?? '', here: others[first] ?? '' }
}

/** A part of a request that the text could not tell, and the remark on it. */
export interface FoundPart {
  readonly request: PastedRequest
  readonly note: string
}

/** Finds the method of a URL that came without one: that for which its signature is right. */
export function findMethod(parts: ReadParts): Promise<FoundPart | undefined> {
  const { request } = parts
  return findSigned(
    parts,
    methods.map((method) => ({
      request: { ...request, method },
      note: `A URL has no method; it was signed for ${method}.`,
    })),
  )
}

/** Finds the body whose hash was signed, where the request tells neither a hash nor a length. */
export async function findBody(parts: ReadParts): Promise<FoundPart | undefined> {
  const { request } = parts
  if (!request.body) return undefined
  const forms = [...formsOf(request.body)].flatMap(([body, note]) =>
    note === undefined ? [] : [{ request: { ...request, body }, note }],
  )
  return findSigned(parts, forms)
}

/** What is needed to sign a request anew. */
export type ReadParts = Pick<SignedParts, 'request' | 'read' | 'key'>

async function findSigned(
  { read, key }: ReadParts,
  found: readonly FoundPart[],
): Promise<FoundPart | undefined> {
  if (!read) return undefined
  for (const one of found) {
    const signed = await sign(one.request, { secretAccessKey: key.secretAccessKey })
    if (signed?.signature === read.signature) return one
  }
  return undefined
}

/** Signs a request anew by its own claim; `undefined` where it cannot be. */
async function sign(
  request: PastedRequest,
  options: ReadSignatureOptions,
): Promise<Explanation | undefined> {
  const { url } = request
  if (!options.secretAccessKey || url.length > maxUrl || !URL.canParse(url)) return undefined
  const headers = request.headers.map(([name, value]) => [name, byteString(value)] as const)
  const read = readSignature({ ...request, url: byteString(url), headers }, { ...options, engine })
  return read?.algorithm === computedAlgorithm
    ? explain(read.auth, `${new URL(url).origin}/`)
    : undefined
}

/** Signs a canonical request by the date and the scope of a request. */
async function signatureOf(
  { algorithm, amzDate, scope, region, service }: SignatureRead,
  secretAccessKey: string,
  canonicalRequest: string,
): Promise<string> {
  const [date = ''] = scope.split('/', 1)
  const key = await engine.deriveKey(secretAccessKey, { date, region, service })
  const hash = await engine.hash(canonicalRequest)
  return engine.sign(key, `${algorithm}\n${amzDate}\n${scope}\n${hash}`)
}

function remedyOf({ remedy }: Change, { url }: PastedRequest): string {
  return typeof remedy === 'string' ? remedy : remedy(new URL(url))
}
