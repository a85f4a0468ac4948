// The one way for tests to what is inside: pure forms and transitions that are worth testing alone.
export { documented } from '../src/aws/documented.ts'
export { readEntry, readHost } from '../src/aws/hosts.ts'
export { createCredentials as createInPage } from '../src/aws-credentials/create.ts'
export { credentialsOf } from '../src/aws-credentials/credentials-of.ts'
export { parseSections } from '../src/aws-credentials/config-files.ts'
export { nodeOutside } from '../src/aws-credentials/node.ts'
export type { Outside } from '../src/aws-credentials/outside.ts'
export { runCommand } from '../src/aws-credentials/run-command.ts'
export { canonicalQuery, type Canonical, sort, uriEncode } from '../src/canonical-query.ts'
export {
  canonicalHeaders,
  canonicalPath,
  emptyHash,
  signedHeaderFilter,
} from '../src/canonical-request.ts'
export { signerSymbol, signerOf } from '../src/carried-signer.ts'
export { createServiceClocks, signingDates } from '../src/clock.ts'
export { credentialSource, readApiKey } from '../src/credentials.ts'
export {
  canonicalParts,
  type CanonicalParts,
  compareCanonicalRequests,
  compareStringsToSign,
  payloadHint,
} from '../src/diagnose/compare.ts'
export { summarize } from '../src/diagnose/diagnosis.ts'
export { pathHint, queryHint } from '../src/diagnose/target-hints.ts'
export { headerHint, mediaType } from '../src/diagnose/header-hint.ts'
export { readCredential, readPresignedUrl } from '../src/diagnose/presigned-url.ts'
export { readRefusal } from '../src/diagnose/refusal.ts'
export { readErrorXml, readServerEvidence } from '../src/diagnose/server-evidence.ts'
export {
  formatDuration,
  hexBytes,
  hideSecrets,
  parseInstant,
  printable,
  redact,
  redactQuery,
  secretValues,
  shorten,
  utf8Bytes,
} from '../src/diagnose/text.ts'
export { percentDecode } from '@svc/auth-hooks/scheme'
export { payloadHash } from '../src/payload.ts'
export { signingKeys } from '../src/signer.ts'
export { crc32c } from '../src/streaming/crc32c.ts'
export { sendsStreamsWithLength } from '../src/streaming/length.ts'

/** Imports a module a second time, as another copy of the package has it. */
export function importCopyOf(file: string): Promise<Record<string, unknown>> {
  // Taken from a variable, so that no compiler looks for a file with a query in its name.
  const address = `../src/${file}?copy`
  return import(/* @vite-ignore */ address) as Promise<Record<string, unknown>>
}
