/**
 * Takes apart what was sent, pasted or saved: a signed request, the steps of a signature, a response.
 *
 * @module @svc/auth-sigv4/inspect
 */
export {
  readSignature,
  type ReadSignatureOptions,
  type SignedHttpRequest,
} from './read-signature.ts'
export type { SignatureRead } from './claim.ts'
export { listSteps, stepClauses, type Step, type StepLine, type Steps } from './steps.ts'
export { readResponse, type ResponseRead } from './read-response.ts'
export { formatDuration, hideSecrets, redact } from '../diagnose/text.ts'
