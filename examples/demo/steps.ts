import { defaultUsers, type Emulator } from '@svc/emulator'
import type { Clients } from './clients.ts'
import type { DemoStep } from './step.ts'

/** Names as a caller has them: nothing in them is encoded. */
export const objectNames = {
  fetch: "V1/a+b & 9% = (it's) *new*! ~ Größe 📊.json",
  ky: 'V1/c+d & 5% = 京都 🚀.txt',
} as const

/** Returns the steps of the demo, in order. */
export function createSteps(
  baseUrl: URL,
  emulator: Pick<Emulator, 'revokeTokens' | 'fault'>,
  { primary, subaccount }: { readonly primary: Clients; readonly subaccount: Clients },
): readonly DemoStep[] {
  const [{ username, groups }, { groups: subaccountGroups }] = defaultUsers
  const groupsUrl = new URL('user/groups', baseUrl)
  const report = { title: 'Größe', rows: [1, 2, 3] }
  const note = 'stored as written: äöü 🚀\n'
  const listed = ['GET token 200']
  const loggedInAndListed = ['POST login 200', ...listed]
  const ordinary = { freshCredentials: true, logins: 0 }

  return [
    {
      title: 'Primary user logs in',
      client: 'ky',
      send: () => primary.ky.get('user/groups').json(),
      expected: { ...ordinary, result: groups, exchanges: loggedInAndListed, logins: 1 },
    },
    {
      title: 'Same session, no login',
      client: 'fetch',
      send: async () => (await primary.fetch(groupsUrl)).json(),
      expected: { ...ordinary, result: groups, exchanges: listed },
    },
    {
      title: 'Subaccount user logs in',
      client: 'fetch',
      send: async () => (await subaccount.fetch(groupsUrl)).json(),
      expected: { ...ordinary, result: subaccountGroups, exchanges: loggedInAndListed, logins: 1 },
    },
    {
      title: 'Same session, no login',
      client: 'ky',
      send: () => subaccount.ky.get('user/groups').json(),
      expected: { ...ordinary, result: subaccountGroups, exchanges: listed },
    },
    {
      title: 'Store an awkward name',
      client: 'fetch',
      send: async () => {
        const body = JSON.stringify(report)
        const url = new URL(objectNames.fetch, baseUrl)
        return (await primary.fetch(url, { method: 'PUT', body })).ok
      },
      expected: { ...ordinary, result: true, exchanges: ['PUT sigv4 200'] },
    },
    {
      title: 'Read it back',
      client: 'ky',
      send: () => subaccount.ky.get(objectNames.fetch).json(),
      expected: { ...ordinary, result: report, exchanges: ['GET sigv4 200'] },
    },
    {
      title: 'Busy once: signed again',
      client: 'ky',
      // A second's pause, so that the second signature has a date of its own.
      before: () =>
        emulator.fault({ method: 'PUT', times: 1, status: 503, headers: { 'retry-after': '1' } }),
      send: async () => (await primary.ky.put(objectNames.ky, { body: note })).ok,
      expected: { ...ordinary, result: true, exchanges: ['PUT sigv4 503', 'PUT sigv4 200'] },
    },
    {
      title: 'Read it back',
      client: 'fetch',
      send: async () => (await subaccount.fetch(new URL(objectNames.ky, baseUrl))).text(),
      expected: { ...ordinary, result: note, exchanges: ['GET sigv4 200'] },
    },
    {
      title: 'Token revoked: one login',
      client: 'fetch',
      before: () => emulator.revokeTokens(username),
      send: async () => (await primary.fetch(groupsUrl)).json(),
      expected: {
        ...ordinary,
        result: groups,
        exchanges: ['GET token 401', ...loggedInAndListed],
        logins: 1,
      },
    },
    {
      title: 'Another origin: refused',
      client: 'fetch',
      send: () => primary.fetch('https://elsewhere.example/user/groups'),
      expected: { ...ordinary, result: 'ERR_AUTH_ORIGIN', exchanges: [] },
    },
  ]
}
