import { authFetch, createSigV4Auth } from '@svc/auth-sigv4'
import { streaming } from '@svc/auth-sigv4/streaming'
const [, , who, port, mib] = process.argv
const piece = new Uint8Array(65_536)
const url = `http://127.0.0.1:${port}`
const auth = createSigV4Auth({ baseUrl: url, region: 'us-east-1', credentials: { accessKeyId: 'A', secretAccessKey: 'b' }, ...(who==='chunks'&&{payload: streaming()}) })
const send: any = who === 'fetch' ? fetch : authFetch(auth)
function zeros(length: number) { let given = 0; return new ReadableStream({ pull(c) { if (given >= length) return c.close(); given += piece.byteLength; c.enqueue(piece) } }) }
const upload = async (length: number) => { const r = await send(`${url}/V1/l`, { method: 'PUT', headers: { 'content-length': String(length) }, body: zeros(length), duplex: 'half' }); await r.arrayBuffer() }
await upload(16 * 1024 ** 2)
const before = process.resourceUsage().maxRSS
await upload(Number(mib) * 1024 ** 2)
console.log(who, ((process.resourceUsage().maxRSS - before) / 1024).toFixed(1), JSON.stringify(process.memoryUsage()))
process.exit()
