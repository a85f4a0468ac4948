import type { MeasuredResults } from '../measured-results.ts'
import { requestsPerSecond } from '../requests/topic.ts'
import type { ApplicationName } from '../start/packages.ts'

/** What a user chooses among, for one purpose. */
export interface ChoiceGroup {
  readonly title: string
  readonly choices: readonly Choice[]
}

/** A library with the figures that users choose by. */
export interface Choice {
  readonly name: string
  readonly isOurs: boolean
  /** What it adds to a bundle. */
  readonly bytes: number | undefined
  readonly requestsPerSecond: number | undefined
}

type Row = readonly [name: string, application: ApplicationName, contender: string]

const ours: Readonly<Record<string, readonly Row[]>> = {
  'Signed requests': [
    ['svc-auth, light', 'sigv4 + light authFetch', 'light authFetch, signature'],
    ['svc-auth', 'sigv4 + authFetch', 'authFetch, signature'],
  ],
  'Requests with a token': [
    ['svc-auth, light', 'token + light authFetch', 'light authFetch, token'],
    ['svc-auth', 'token + authFetch', 'authFetch, token'],
  ],
}

const peers: Readonly<Record<string, readonly ApplicationName[]>> = {
  'Signed requests': ['aws4fetch', 'aws-sigv4-fetch', 'axios with aws4-axios'],
  'Requests with a token': [
    '@badgateway/oauth2-client',
    'openid-client',
    'axios with axios-auth-refresh',
  ],
}

/** Returns our packages and other libraries for each purpose, with what was measured of them. */
export function choicesOf({ start, requests }: MeasuredResults): readonly ChoiceGroup[] {
  return Object.entries(ours).map(([title, own]) => {
    const choiceOf = ([name, application, contender]: Row, isOurs: boolean): Choice => {
      const performance = requests?.find((each) => each.name === contender)
      return {
        name,
        isOurs,
        bytes: start?.costs.find((cost) => cost.name === application)?.bytes,
        requestsPerSecond: performance && requestsPerSecond(performance),
      }
    }
    return {
      title,
      choices: [
        ...own.map((row) => choiceOf(row, true)),
        ...(peers[title] ?? []).map((name) => choiceOf([name, name, name], false)),
      ],
    }
  })
}
