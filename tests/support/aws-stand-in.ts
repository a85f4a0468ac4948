import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The scopes of the hosts that documents name, as AWS's documents have them. */
const scopes = {
  'examplebucket.s3.eu-central-1.amazonaws.com': { service: 's3', region: 'eu-central-1' },
  'dynamodb.eu-central-1.amazonaws.com': { service: 'dynamodb', region: 'eu-central-1' },
}

const types = `export function standIn(input: string | URL | Request, init?: RequestInit): Promise<Response>
`

function source(apiKey: object): string {
  return `import { verifySigV4 } from '@svc/emulator'

const scopes = ${JSON.stringify(scopes)}

export async function standIn(input, init) {
  const request = new Request(input, init)
  const { host, pathname, search } = new URL(request.url)
  const raw = {
    method: request.method,
    target: pathname + search,
    rawHeaders: [['host', host], ...request.headers],
    body: new Uint8Array(await request.arrayBuffer()),
  }
  const options = { apiKeys: [${JSON.stringify(apiKey)}], ...scopes[host] }
  const { ok, status = 200, message } = await verifySigV4(raw, options)
  if (!ok) throw new Error(\`\${host} refuses the signature: \${status} \${message}\`)
  return new Response('a;b')
}
`
}

/** Writes what stands in for AWS into a folder: a `fetch` that verifies each signature, and throws if it is wrong. */
export function writeAwsStandIn(folder: string, apiKey: object): void {
  writeFileSync(join(folder, 'aws-stand-in.mjs'), source(apiKey))
  writeFileSync(join(folder, 'aws-stand-in.d.mts'), types)
}

/** Returns the code of a document with the stand-in in place of AWS. */
export function withAwsStandIn(code: string): string {
  if (!Object.keys(scopes).some((host) => code.includes(host))) return code
  const sent = code.replaceAll(
    /authFetch\((createAwsAuth\([^)]*\))\)/g,
    'authFetch($1, { fetch: standIn })',
  )
  return `import { standIn } from './aws-stand-in.mjs'\n${sent}`
}
