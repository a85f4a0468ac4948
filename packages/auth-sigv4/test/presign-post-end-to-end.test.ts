import { createEmulator } from '@svc/emulator'
import { describe, expect, onTestFinished, test } from 'vitest'
import { apiKey } from './fixtures/s3-examples.ts'
import { acceptedForms, postForm, refusedForms } from './support/presigned-posts.ts'

describe.each([undefined, 'a+session/token=='])(
  'the emulator, with the session token %j,',
  (sessionToken) => {
    const credentials = { ...apiKey, ...(sessionToken !== undefined && { sessionToken }) }
    const start = async () => {
      const emulator = createEmulator({ apiKeys: [credentials] })
      const server = await emulator.listen()
      onTestFinished(() => server.close())
      return { emulator, bucket: { baseUrl: server.baseUrl, path: '/V1', credentials } }
    }

    test.each(acceptedForms)('takes a form with %s', async (_, form, outcome) => {
      const { emulator, bucket } = await start()
      expect(await postForm(bucket, form)).toMatchObject(outcome)
      expect(emulator.requests[0]?.auth.ok).toBe(true)
    })

    test.each(refusedForms)('refuses a form with %s', async (_, form, outcome) => {
      const { emulator, bucket } = await start()
      expect(await postForm(bucket, form)).toMatchObject(outcome)
      expect(emulator.requests[0]?.auth.ok).toBe(false)
    })
  },
)
