import { createServer } from 'node:http'
import process from 'node:process'

const login = Buffer.from(JSON.stringify({ Token: 'not-a-secret-token-of-a-benchmark' }))
const groups = Buffer.from(JSON.stringify([{ id: 'group-0001', name: 'Reports', permissions: [] }]))

const server = createServer((incoming, outgoing) => {
  incoming.resume().once('end', () => {
    const body = incoming.url === '/user/login' ? login : groups
    outgoing.writeHead(200, {
      'content-type': 'application/json',
      'content-length': body.byteLength,
    })
    outgoing.end(body)
  })
})
// A client that pauses between rounds finds its connections as it left them.
server.keepAliveTimeout = 120_000
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object') process.send?.(`http://127.0.0.1:${address?.port}`)
})
process.once('disconnect', () => process.exit())
