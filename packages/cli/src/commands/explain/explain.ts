import type { Explanation } from '@svc/auth-sigv4/explain'
import type { RunCommand } from '../../command.ts'
import { exitCodes } from '../../exit.ts'
import { openColours } from '../../output/colours.ts'
import { headerText, isSecretName, shorten } from '../../output/text.ts'
import { writeNote, writeResult } from '../../output/write.ts'
import { readRequest, toInit } from '../../request/request.ts'
import { openForKey, openSigning } from '../../request/signing.ts'
import type { ExplainOptions } from './explain.options.ts'
import { formatSteps, type ShownSteps } from './format-steps.ts'

export const runExplain: RunCommand<ExplainOptions> = async ([path = ''], options, context) => {
  const service = await openForKey(options, context)
  const request = await readRequest(path, options, service.baseUrl, context)
  const auth = await (await openSigning(service, request, context)).createAuth()
  const { explain } = await import('@svc/auth-sigv4/explain')
  const explanation = await explain(auth, request.url, toInit(request, context.signal))
  const shown = toShown(explanation)
  const { listSteps, stepClauses } = await import('@svc/auth-sigv4/inspect')
  const text = options.json
    ? JSON.stringify(shown, null, 2)
    : formatSteps(shown, listSteps(shown), stepClauses, await openColours(context))
  await writeResult(context, `${text}\n`)
  writeNote(context, 'the output holds a valid signature: keep it out of logs')
  return exitCodes.done
}

function toShown({ url, headers, canonicalRequest, ...steps }: Explanation): ShownSteps {
  // Bytes of UTF-8, as everything that is given on a command line.
  const texts = [...headers].map(([name, value]) => [name, headerText(value)] as const)
  const secrets = texts
    .filter(([name, value]) => isSecretName(name) && value !== '')
    // A canonical request folds blanks.
    .flatMap(([, value]) => [value, value.replace(/[\t ]+/g, ' ')])
  const hide = (text: string): string =>
    secrets.reduce((shown, secret) => shown.replaceAll(secret, shorten(secret)), text)
  return {
    url: url.href,
    canonicalRequest: hide(headerText(canonicalRequest)),
    ...steps,
    headers: Object.fromEntries(texts.map(([name, value]) => [name, hide(value)])),
  }
}
