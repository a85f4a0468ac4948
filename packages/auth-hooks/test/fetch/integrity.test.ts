import { authFetch, authorizeRequest, kyAuthHooks } from '@svc/auth-hooks'
import { authAxios } from '@svc/auth-hooks/axios'
import axios from 'axios'
import ky from 'ky'
import { expect, test } from 'vitest'
import { recordingScheme } from '../support/schemes.ts'
import { serve } from '../support/server.ts'

const integrity = 'sha256-Rfv2pnte+n28wMDM9r3XziBzADFMAJKCUViW6kzXpOY='
const scheme = (origin: string) => recordingScheme([origin])

test.each<[name: string, send: (origin: string) => Promise<unknown>]>([
  ['authFetch', (origin) => authFetch(scheme(origin))(origin, { integrity })],
  [
    'authFetch with a Request',
    (origin) => authFetch(scheme(origin))(new Request(origin, { integrity })),
  ],
  ['authorizeRequest', (origin) => authorizeRequest(scheme(origin), origin, { integrity })],
  [
    'kyAuthHooks',
    (origin) => ky.get(origin, { integrity, retry: 0, hooks: kyAuthHooks(scheme(origin)) }),
  ],
  [
    'authAxios',
    (origin) => {
      const auth = authAxios(scheme(origin), { adapter: 'fetch' })
      return axios.get(origin, { ...auth, fetchOptions: { integrity } })
    },
  ],
])('an integrity is an ERR_AUTH_REQUEST of %s, and nothing is sent', async (_name, send) => {
  const { origin, arrived } = await serve()
  await expect(send(origin)).rejects.toMatchObject({
    code: 'ERR_AUTH_REQUEST',
    message: expect.stringContaining('integrity cannot be checked here; nothing was sent'),
  })
  expect(arrived).toEqual([])
})
