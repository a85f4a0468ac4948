// A process of its own, whose environment it changes: prints the keys that awsCredentials and the AWS SDK find.
import { text } from 'node:stream/consumers'
import { fromNodeProviderChain } from '@aws-sdk/credential-providers'
import { awsCredentials } from '@svc/auth-sigv4/credentials'
import type { Found, Prepared } from './prepared.ts'

const chains: Readonly<Record<string, (profile: string | undefined) => () => Promise<Found>>> = {
  ours: (profile) => awsCredentials({ profile }),
  sdk: (profile) => fromNodeProviderChain(profile === undefined ? {} : { profile }),
}
const create = chains[process.argv[2] ?? ''] ?? chains['ours']

// The SDK warns of keys that have ended.
console.warn = () => {}
const found: Found[] = []
for (const { variables, profile } of JSON.parse(await text(process.stdin)) as Prepared[]) {
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, variables)
  try {
    const { accessKeyId, secretAccessKey, sessionToken } = (await create?.(profile)()) ?? {}
    found.push({ accessKeyId, secretAccessKey, sessionToken })
  } catch (error) {
    found.push({ error: String(error) })
  }
}
console.log(JSON.stringify(found))
