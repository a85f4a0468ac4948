import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { AwsCredentials, AwsCredentialsOptions } from '@svc/auth-sigv4/credentials'
import { onTestFinished } from 'vitest'
import { credentialsOf, nodeOutside, type Outside } from '../testing.ts'

/** An environment in which a key is looked for, with files of its own. */
export interface World {
  readonly home: string
  readonly variables: Record<string, string>
  /** The URLs that were requested, in order. */
  readonly requested: string[]
  readonly outside: Outside
  /** Moves the clock forward. */
  advance(ms: number): void
  /** Writes a file, by its path in the folder of the user. */
  write(path: string, content: string | Uint8Array): void
  create(choice?: Pick<AwsCredentialsOptions, 'profile' | 'region'>): AwsCredentials
  /** Returns the message of the error that finding a key ends with. */
  problem(choice?: Pick<AwsCredentialsOptions, 'profile' | 'region'>): Promise<string>
}

/** Returns an empty environment. Pauses take no time. */
export function createWorld(changes: Partial<Outside> = {}): World {
  const home = mkdtempSync(join(tmpdir(), 'aws-world-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const variables: Record<string, string> = { HOME: home }
  const requested: string[] = []
  let offMs = 0
  const clock = (): number => Date.now() + offMs
  const { fetch: send = fetch } = changes
  const outside: Outside = {
    ...nodeOutside(fetch, clock),
    pause: async () => {},
    ...changes,
    variable: (name) => variables[name] || undefined,
    fetch: (input, init) => {
      requested.push(input instanceof Request ? input.url : String(input))
      return send(input, init)
    },
  }
  const create: World['create'] = (choice = {}) => credentialsOf(outside, choice)
  return {
    home,
    variables,
    requested,
    outside,
    advance: (ms) => (offMs += ms),
    write(path, content) {
      mkdirSync(dirname(join(home, path)), { recursive: true })
      writeFileSync(join(home, path), content)
    },
    create,
    problem: (choice) =>
      create(choice)().then(
        ({ accessKeyId }) => `found ${accessKeyId}`,
        (error: unknown) => String(error),
      ),
  }
}

/** Returns the lines of a key in a profile. */
export function profileLines(name: string): string {
  return `aws_access_key_id = ${name}\naws_secret_access_key = secret-of-${name}\n`
}

/** Returns the response of a metadata service, with the end of the key in epoch milliseconds. */
export function metadataKey(name: string, expiresAt: number = Date.now() + 3_600_000): string {
  return JSON.stringify({
    Code: 'Success',
    AccessKeyId: name,
    SecretAccessKey: `secret-of-${name}`,
    Token: `token-of-${name}`,
    Expiration: new Date(expiresAt).toISOString(),
  })
}

/** Returns the response of STS. */
export function stsKey(name: string, expiresAt: number = Date.now() + 3_600_000): string {
  return (
    `<R><Credentials><AccessKeyId>${name}</AccessKeyId><SecretAccessKey>secret-of-${name}</SecretAccessKey>` +
    `<SessionToken>token-of-${name}</SessionToken><Expiration>${new Date(expiresAt).toISOString()}</Expiration></Credentials></R>`
  )
}
