import { clients, titleOf } from './clients/index.ts'
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
  for (const c of bad) console.log(describeComparison(c))
  await servers.close()
}
