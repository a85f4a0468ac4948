/**
 * The one entry of the tests to the inside of the command, for runs within the process of a test. It is not published.
 */
export { isDirect } from '../src/aws/aws-key.ts'
export { createProgress, formatBytes } from '../src/commands/fetch/progress.ts'
export type { CommandContext } from '../src/context.ts'
export { UsageError } from '../src/exit.ts'
export { formatJson } from '../src/output/json.ts'
export { redactHeader, redactUrls } from '../src/output/redact.ts'
export type { Keyring } from '../src/platform/keyring.ts'
export { Platform, type System } from '../src/platform/platform.ts'
export { thisSystem } from '../src/platform/this-system.ts'
export { runProgram } from '../src/program.ts'
export { resolveUrl } from '../src/request/url.ts'
export { startProxy as startProxyServer } from '../src/proxy/proxy.ts'
export { readRules } from '../src/proxy/rules.ts'
export { openService } from '../src/service.ts'
