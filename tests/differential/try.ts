import { describeCase } from './case.ts'
import { titleOf } from './clients/client.ts'
import { clients } from './clients/index.ts'
import { generateCases, missingPairs } from './generate.ts'
import { describeComparison, runCases } from './run-cases.ts'
import { startRawServers } from './server/raw-server.ts'
process.on('unhandledRejection', (e) => console.log('UNHANDLED', e))
process.on('uncaughtException', (e) => console.log('UNCAUGHT', e))
const [pattern = '', n = '20', seed = '1'] = process.argv.slice(2)
for (const client of clients.filter((c) => titleOf(c).includes(pattern))) {
  const servers = await startRawServers()
  const cases = generateCases(Number(seed), Number(n), client.takes)
  const cpu = process.cpuUsage(); const t = Date.now()
  const done = await runCases(client, cases, servers)
  const { user, system } = process.cpuUsage(cpu)
  const bad = done.filter((c) => c.differences.length || c.faults.length)
  console.log(`== ${titleOf(client)}: ${bad.length} of ${done.length}; cpu ${(user + system) / 1e6} s, ${Date.now() - t} ms; missing pairs ${missingPairs(cases, client.takes).length}; unknown ${servers.unknown.length} ${servers.unknown.slice(0,3)}`)
  for (const c of bad) console.log(process.env.LONG ? describeComparison(c) : compact(c))
  await servers.close()
}

function compact(c) {
  const v = (side) => {
    const m = Object.fromEntries(c.differences.map((d) => [d.aspect, d[side]]))
    if (m['error name'] !== undefined) return `${m['error name']} ${m['error code'] ?? ''} ${(m['error message'] ?? '').slice(0, 110)} ${(m['error cause'] ?? '').slice(0, 60)} begun=${m['requests begun'] ?? '='} ${m.status ?? ''} F=${m['request 1 framing'] ?? '='}`
    return JSON.stringify(m).slice(0, 400)
  }
  return `${describeCase(c.one)}\n${c.faults.map((f) => `     FAULT ${f}\n`).join('')}     b: ${v('bare')}\n     o: ${v('ours')}`
}
