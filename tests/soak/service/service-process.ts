import { createServer } from 'node:http'
import process from 'node:process'
import { createEmulator, type RecordedRequest } from '@svc/emulator'
import { listenOnLoopback } from '../../support/loopback.ts'
import { accountNames } from '../plan/operation.ts'
import { hashOf } from '../plan/payload.ts'
import type {
  ArrivedRequest,
  Asked,
  Listening,
  Question,
  Reply,
  ServiceReport,
} from './protocol.ts'
import { users } from './users.ts'

let aheadMs = 0
const emulator = createEmulator({
  users: Object.values(users),
  tokenLifetimeSeconds: 3600,
  clock: () => Date.now() + aheadMs,
  // Every body that arrived is checked when they are collected.
  maxRecordedBytes: 2 ** 31,
})
const server = await emulator.listen()

let strays = 0
const strayServer = createServer((incoming, outgoing) => {
  strays += 1
  incoming.resume()
  outgoing.end()
})
const stray = await listenOnLoopback(strayServer)

process.on('message', ({ number, question }: Asked) => {
  const report = carryOut(question)
  const reply: Reply = { number, ...(report && { report }) }
  process.send?.(reply)
})
process.once('disconnect', () => process.exit())
const listening: Listening = { url: server.url.href, strayUrl: stray.url.href }
process.send?.(listening)

function carryOut(question: Question): ServiceReport | undefined {
  if (question.ask === 'collect') return collect()
  if (question.ask === 'revoke') {
    emulator.revokeTokens(users[question.account].username)
  } else {
    aheadMs = question.aheadMs
    for (const fault of question.faults) emulator.fault(fault)
  }
  return undefined
}

function collect(): ServiceReport {
  const { requests } = emulator
  const issuedTo = (username: string): number =>
    requests.filter(({ auth }) => auth.scheme === 'login' && auth.ok && auth.user === username)
      .length
  const issued = { memory: 0, file: 0, redis: 0 }
  for (const account of accountNames) issued[account] = issuedTo(users[account].username)
  const report = { arrivals: requests.flatMap(arrivalOf), issued, strays }
  strays = 0
  emulator.reset()
  return report
}

function arrivalOf({
  method,
  target,
  path,
  status,
  auth,
  headers,
  body,
}: RecordedRequest): ArrivedRequest[] {
  const operation = /\/soak\/(\d+-\d+)|[?&]operation=(\d+-\d+)/.exec(target)
  if (!operation) return []
  return [
    {
      operation: operation[1] ?? operation[2] ?? '',
      method,
      path,
      status,
      isLetIn: auth.ok,
      hash: hashOf(body),
      isChunked: headers['x-amz-decoded-content-length'] !== undefined,
    },
  ]
}
