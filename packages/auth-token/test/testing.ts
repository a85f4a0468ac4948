/** The inside of this package, as far as tests see it beside the entries. No other file imports its sources. */
export { createBackOff, mayBeRefusal, lockoutMs, passingPauseMs } from '../src/session/back-off.ts'
export { readChallenge } from '../src/mcp/challenge.ts'
export { noteRefused } from '../src/session/replacement.ts'
export { readUserCredentials, type SessionCredentials } from '../src/credentials.ts'
export { tokenLifetime } from '../src/login/token-lifetime.ts'
export { describeNetworkError, wasNeverSent } from '../src/login/network-error.ts'
export { serviceLifetimeMs } from '../src/login/service-login.ts'
export { readTokenAuthOptions } from '../src/token-auth.ts'
export { readServerMessage } from '../src/login/server-message.ts'
export { createSession } from '../src/session/session.ts'
export type { SessionUser } from '../src/session/login-run.ts'
export { type Settlement, settled, isEarlyCode } from '../src/sharing/refresh.ts'
export type { SharedContent } from '../src/sharing/sealed-record.ts'
export { createSeal } from '../src/sharing/sealed-record.ts'
export { createHolder } from '../src/dpop/key.ts'
export { learn, type Server, serverOf } from '../src/dpop/servers.ts'
export { openFileStore } from '../src/stores/file/open-file-store.ts'
export { changeState, type FileState, readState } from '../src/stores/file/state.ts'
export { type OpenFile, type System, thisSystem } from '../src/stores/file/system.ts'
export { patientSystem } from '../src/stores/file/windows.ts'
export {
  isAhead,
  issueToken,
  type LoginOutcome,
  type SharedTokenStore,
  sharingFactory,
} from '../src/token.ts'
export { internalsKey, internalsOf, inTime, type Timers } from '../src/timers.ts'
export { version } from '../src/version.ts'
export { openBrowserStore } from '../src/stores/browser/open-browser-store.ts'
export type { OpenChannel, Platform } from '../src/stores/browser/platform.ts'
