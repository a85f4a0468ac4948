import { serviceLifetimeMs, tokenLifetime } from '@svc/auth-token'
import { formatDuration } from '@svc/auth-sigv4/inspect'
import { InputError } from '../input/input-error.ts'
import type { InputKind } from '../input/recognise.ts'
import {
  cut,
  type Finding,
  type InspectionTask,
  type ShownRow,
  type TokenInspection,
} from './inspection.ts'
import { instant } from './presigned.ts'

const meanings: Readonly<Record<string, string>> = {
  alg: 'The algorithm of the token’s own signature.',
  typ: 'The type of the token.',
  kid: 'The key that signed it.',
  iss: 'Who issued it.',
  sub: 'Whom it is about.',
  aud: 'For whom it is meant.',
  exp: 'When it expires.',
  nbf: 'Before when it is not valid.',
  iat: 'When it was issued.',
  jti: 'Its own number.',
  scope: 'What it allows.',
}

/** The most rows of each part. */
const maxRows = 100

/**
 * Takes a token apart. It is never verified: only whoever issued it has the key for that.
 *
 * @throws InputError naming the part that is no JSON.
 * @see https://www.rfc-editor.org/rfc/rfc7519
 */
export function inspectToken(
  token: string,
  kind: InputKind,
  { now }: InspectionTask,
): TokenInspection {
  const [header = '', payload = ''] = token.split('.')
  const claims = readPart('payload', payload)
  const { exp, nbf } = claims
  const lifetimeMs = tokenLifetime(token, undefined, serviceLifetimeMs)
  const leftMs = tokenLifetime(token, now, serviceLifetimeMs)
  const isTold = typeof exp === 'number'
  const lifetime: ShownRow[] = [
    {
      name: 'lifetime',
      value: formatDuration(lifetimeMs),
      meaning: ruleOf(claims),
    },
    {
      name: 'if it came now',
      value: formatDuration(leftMs),
      meaning:
        'By the server’s time, for which this clock stands here: the lesser of exp − iat and of exp − now, at least a minute; exp − iat alone where less than half of it would be left.',
    },
  ]
  return {
    type: 'token',
    kind,
    findings: [validityFinding(exp, nbf, now)],
    header: rowsOf(readPart('header', header)),
    claims: rowsOf(claims),
    lifetime,
    notes: isTold
      ? []
      : ['It does not tell when it expires, so the default of the service counts.'],
    hasSecrets: true,
  }
}

function ruleOf({ exp, iat }: Readonly<Record<string, unknown>>): string {
  if (typeof exp === 'number' && typeof iat === 'number' && exp > iat) {
    return 'exp − iat, counted from its receipt, so that no clock matters (RFC 7519, sections 4.1.4 and 4.1.6).'
  }
  if (typeof exp === 'number') {
    return 'It has no usable iat, so without the server’s time the default of 24 hours counts; with it, exp − Date.'
  }
  return 'The default of the service, 24 hours from its receipt.'
}

function validityFinding(exp: unknown, nbf: unknown, now: number): Finding {
  const make = (outcome: Finding['outcome'], title: string, meaning: string): Finding => ({
    outcome,
    verdict: undefined,
    title,
    meaning,
    remarks: [
      'It is not verified here: only its issuer has the key, and anyone could have written these claims.',
    ],
  })
  if (typeof nbf === 'number' && nbf * 1000 > now && isInstant(nbf)) {
    return make(
      'wrong',
      'The token is not yet valid',
      `By this clock it is in ${formatDuration(nbf * 1000 - now)}.`,
    )
  }
  if (typeof exp !== 'number' || !isInstant(exp)) {
    return make(
      'open',
      'The token does not tell its end',
      'It is used until the service refuses it.',
    )
  }
  const leftMs = exp * 1000 - now
  const distance = formatDuration(leftMs)
  return leftMs < 0
    ? make(
        'wrong',
        'The token has expired',
        `By this clock it ended ${distance} ago, ${instant(exp * 1000)}.`,
      )
    : make(
        'open',
        'The token has not expired',
        `By this clock it is good for ${distance} more, until ${instant(exp * 1000)}.`,
      )
}

function isInstant(seconds: number): boolean {
  return seconds >= 0 && seconds < 253_402_300_800
}

function readPart(part: string, text: string): Readonly<Record<string, unknown>> {
  let json: unknown
  try {
    const bytes = Uint8Array.from(
      atob(text.replaceAll('-', '+').replaceAll('_', '/')),
      (character) => character.charCodeAt(0),
    )
    json = JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    throw new InputError(`token, ${part}`, 'this part is no JSON in base64url.', 1)
  }
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return { ...json }
  throw new InputError(`token, ${part}`, 'this part is no JSON object.', 1)
}

function rowsOf(part: Readonly<Record<string, unknown>>): ShownRow[] {
  return Object.entries(part)
    .slice(0, maxRows)
    .map(([name, value]) => ({
      name: cut(name, 200),
      value: cut(typeof value === 'string' ? value : JSON.stringify(value), 1000),
      meaning: [timeOf(name, value), Object.hasOwn(meanings, name) ? meanings[name] : undefined]
        .filter((text) => text !== undefined)
        .join(' '),
    }))
}

function timeOf(name: string, value: unknown): string | undefined {
  const isTime = /^(?:exp|nbf|iat|auth_time)$/.test(name) && typeof value === 'number'
  return isTime && isInstant(value) ? `${instant(value * 1000)}.` : undefined
}
