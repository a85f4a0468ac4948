import { diagnose } from '@svc/auth-sigv4/diagnose'
import { presign } from '@svc/auth-sigv4/presign'
import { describe, expect, test } from 'vitest'
import { signedAt } from '../fixtures/s3-examples.ts'
import { exampleAuth } from '../support/signing.ts'
import { awsXml, type Elements, read, refusal, url } from './diagnosing.ts'

const minuteMs = 60_000
const agreeing =
  'The request was delayed after it was signed, an old signature was sent again, or the clock has been corrected since, which the scheme does by itself after a refusal.'

const dated = (at: number) => ({ headers: { date: new Date(at).toUTCString() } })
const amzDate = (at: number): string => new Date(at).toISOString().replace(/[-:]|\.\d+/g, '')

/** A request whose own clock agrees with that of the server now. */
const refused = (elements: Elements, init: ResponseInit = {}) => read(awsXml(elements), init)

describe('a refusal for the time of the request', () => {
  test.each(['RequestTimeTooSkewed', 'RequestExpired', 'ExpiredRequest'])(
    'is known by the code %s',
    async (Code) => {
      const { verdict, summary } = await refused({ Code }, dated(signedAt + 16 * minuteMs))
      expect(verdict).toBe('clock')
      expect(summary).toContain(`403 ${Code}: This clock is 16 min behind the server's.`)
      expect(summary).toContain('The server allows 15 min.')
    },
  )

  test.each(['TheRequestExpired', 'RequestExpiredLongAgo'])(
    'is not known by what %s has in common with it',
    async (Code) => {
      expect((await refused({ Code })).verdict).toBe('unknown')
    },
  )

  test.each(['Request has expired', 'the REQUEST HAS EXPIRED.', 'Request is not valid yet'])(
    'is known by the words %j of a denial',
    async (Message) => {
      expect((await refused({ Code: 'AccessDenied', Message })).verdict).toBe('clock')
    },
  )

  test('is not known by such words about something else', async () => {
    const Message = 'The token of the request has expired'
    expect((await refused({ Code: 'AccessDenied', Message: 'Denied' })).verdict).toBe('unknown')
    expect((await refused({ Code: 'ExpiredToken', Message })).verdict).toBe('secret-or-key')
  })
})

describe('clocks', () => {
  test('that return seconds are told so, and not that the machine is off by decades', async () => {
    const options = { clock: () => signedAt / 1000 }
    const { verdict, differences } = await read(awsXml({ Code: 'RequestTimeTooSkewed' }), {
      options,
      ...dated(signedAt),
    })
    expect(verdict).toBe('clock')
    expect(differences).toMatchObject([
      { line: 'date', hint: expect.stringMatching(/^The clock option must return milliseconds/) },
    ])
  })

  test('that agree to within what the server allows are not blamed', async () => {
    const elements = { Code: 'RequestTimeTooSkewed', MaxAllowedSkewMilliseconds: '60000' }
    for (const offsetMs of [-minuteMs, 0, minuteMs]) {
      const fine = await refused(elements, dated(signedAt + offsetMs))
      expect(fine).toMatchObject({ verdict: 'clock', differences: [] })
      expect(fine.summary).toBe(
        `403 RequestTimeTooSkewed: The request came too late or too early for the server, but the clocks agree now.\n\n${agreeing}`,
      )
    }
    const late = await refused(elements, dated(signedAt + minuteMs + 1000))
    expect(late.differences[0]?.hint).toContain('The server allows 1 min.')
  })

  test.each(['60000 ms', 'x60000', '', '-60000', '9'.repeat(13)])(
    'may differ by 15 min where the server says %j',
    async (MaxAllowedSkewMilliseconds) => {
      const { differences } = await refused(
        { Code: 'RequestTimeTooSkewed', MaxAllowedSkewMilliseconds },
        dated(signedAt + 90_000_000),
      )
      expect(differences[0]?.hint).toContain('The server allows 15 min.')
    },
  )

  test('may differ by what the server says, whatever blanks are around it', async () => {
    const { differences } = await refused(
      { Code: 'RequestTimeTooSkewed', MaxAllowedSkewMilliseconds: '\n 600000 ' },
      dated(signedAt + 90_000_000),
    )
    expect(differences[0]?.hint).toContain('The server allows 10 min.')
  })

  test.each([
    [-60, '1 h before'],
    [60, '1 h after'],
  ])('that agree now leave a request that was signed %i min off', async (minutes, distance) => {
    const { verdict, differences, summary } = await refused({
      Code: 'RequestTimeTooSkewed',
      RequestTime: amzDate(signedAt + minutes * minuteMs),
      ServerTime: new Date(signedAt).toISOString(),
    })
    expect(verdict).toBe('clock')
    expect(summary).toContain(`The request was signed ${distance} the server's time.`)
    expect(differences[0]?.hint).toBe(`The two clocks agree now. ${agreeing}`)
  })

  test('are told by the date of a response without a word, from 15 min on', async () => {
    for (const sign of [-1, 1]) {
      const fine = await read('', dated(signedAt + sign * 15 * minuteMs))
      expect(fine.verdict).toBe('unknown')
      const off = await read('', dated(signedAt + sign * (15 * minuteMs + 1000)))
      expect(off.verdict).toBe('clock')
      expect(off.summary).toContain('15 min 1 s')
    }
  })
})

describe('a presigned URL', () => {
  const presigned = (change: (parameters: URLSearchParams) => void = () => {}) =>
    presign(exampleAuth(), url, { expiresInSeconds: 3600 }).then((signed) => {
      change(signed.searchParams)
      return signed
    })
  const denied = (elements: Elements, date?: number): Response =>
    refusal(
      awsXml({ Code: 'AccessDenied', Message: 'Request has expired', ...elements }),
      date === undefined ? { headers: {} } : dated(date),
    )
  const anew =
    'Presign a new one, or one that lasts longer (expiresInSeconds, up to 7 days); it also expires when its session token does.'

  test('that has ended is said when, and what to do', async () => {
    const input = await presigned()
    const response = denied({}, signedAt + 2 * 3_600_000)
    const { summary, differences } = await diagnose(exampleAuth(), response, input)
    expect(summary).toContain("The presigned URL expired 1 h before the server's time.")
    expect(differences).toMatchObject([{ line: 'expiry', hint: anew }])
  })

  test('that has ended is said by its own times, where the server says no more than a code', async () => {
    const input = await presigned()
    const later = denied({ Message: '' }, signedAt + 2 * 3_600_000)
    const { verdict, summary } = await diagnose(exampleAuth(), later, input)
    expect(verdict).toBe('clock')
    expect(summary).toContain("The presigned URL expired 1 h before the server's time.")
    const right = denied({ Message: '' }, signedAt + 60_000)
    expect((await diagnose(exampleAuth(), right, input)).verdict).toBe('unknown')
  })

  const said = 'The server says: Request has expired'
  test.each<[what: string, change: (parameters: URLSearchParams) => void, date?: number]>([
    ['the server does not say its time', () => {}],
    ['it does not say for how long it holds', (own) => own.delete('X-Amz-Expires'), signedAt],
    ['it still holds by what it says, such as with a token that has ended', () => {}, signedAt],
  ])('that has ended is said to, where %s', async (_what, change, date) => {
    const input = await presigned(change)
    const { verdict, summary, differences } = await diagnose(exampleAuth(), denied({}, date), input)
    expect({ verdict, differences }).toEqual({ verdict: 'clock', differences: [] })
    expect(summary).toBe(`403 AccessDenied: The presigned URL has expired.\n\n${anew}\n${said}`)
  })

  test('is no sign of a wrong clock for as long as it holds', async () => {
    const input = await presigned()
    const diagnosed = (date: number) => diagnose(exampleAuth(), refusal('', dated(date)), input)
    const [endsAt, fromAt] = [signedAt + 3_600_000, signedAt - 15 * minuteMs]
    expect((await diagnosed(fromAt)).verdict).toBe('unknown')
    expect((await diagnosed(endsAt)).verdict).toBe('unknown')
    const late = await diagnosed(endsAt + 1000)
    expect(late).toMatchObject({ verdict: 'clock', differences: [{ line: 'expiry', hint: anew }] })
    expect(late.summary).toContain("The presigned URL expired 1 s before the server's time.")
    const early = await diagnosed(fromAt - 1000)
    expect(early).toMatchObject({ verdict: 'clock', differences: [{ line: 'date' }] })
    expect(early.summary).toContain("This clock is 15 min 1 s ahead of the server's.")
  })

  test('that does not say for how long it holds is no sign of a wrong clock', async () => {
    const input = await presigned((own) => own.delete('X-Amz-Expires'))
    const response = refusal('', dated(signedAt + 90_000_000))
    const { verdict, summary } = await diagnose(exampleAuth(), response, input)
    expect(verdict).toBe('canonical-request')
    expect(summary).toContain('This is not the URL that was presigned')
  })

  test('of another clock is no ended one', async () => {
    const response = denied(
      { Code: 'RequestTimeTooSkewed', ServerTime: '2013-05-24T02:00:00Z' },
      signedAt,
    )
    const { summary, differences } = await diagnose(exampleAuth(), response, await presigned())
    expect(summary).toContain("This clock is 2 h behind the server's.")
    expect(differences).toMatchObject([{ line: 'date', ours: '2013-05-24T00:00:00.000Z' }])
  })

  test('without a date leaves nothing to compare clocks by', async () => {
    const input = await presigned((own) => own.delete('X-Amz-Date'))
    const response = denied({ Code: 'RequestTimeTooSkewed' }, signedAt)
    const { verdict, summary } = await diagnose(exampleAuth(), response, input)
    expect(verdict).toBe('clock')
    expect(summary).toContain('The clocks are too far apart, but the server does not say by how')
    const silent = await diagnose(exampleAuth(), refusal('', dated(signedAt)), input)
    expect(silent.verdict).toBe('canonical-request')
    expect(silent.summary).toContain('This is not the URL that was presigned')
  })
})
