import { expect, test } from 'vitest'
import { clientNames } from './plan/operation.ts'
import { planRound } from './plan/plan.ts'
import { isQuiet, planWeather } from './plan/weather.ts'

const rounds = Array.from({ length: 40 }, (_, number) => planRound(7, number))
const operations = rounds.flatMap((round) => round.operations)

test('a round follows from the seed and its number, whatever was planned before', () => {
  expect(planRound(7, 3)).toEqual(rounds[3])
  expect(planRound(8, 3)).not.toEqual(rounds[3])
  expect(planRound(7, 4).operations).not.toEqual(rounds[3]?.operations)
})

test('every kind of operation comes up, every fault and every client', () => {
  expect(new Set(operations.map(({ kind }) => kind)).size).toBe(20)
  expect(new Set(operations.map(({ fault }) => fault)).size).toBe(13)
  expect(new Set(operations.map(({ client }) => client))).toEqual(new Set(clientNames))
  const weathers = Array.from({ length: 2000 }, (_, number) => planWeather(7, number))
  expect(new Set(weathers.map(({ logins }) => logins)).size).toBe(14)
})

test('a quiet round begins with good tokens, and one of them is all that is troubled in it', () => {
  const quiet = rounds.filter(({ number }) => isQuiet(number))
  expect(quiet).toHaveLength(10)
  for (const round of quiet) {
    expect(round.weather).toMatchObject({ advanceMs: 0, serviceAheadMs: 0, logins: 'none' })
    expect(round.operations.map(({ kind }) => kind)).not.toContain('revoke')
    expect(round.operations.map(({ fault }) => fault)).not.toContain('skewed')
    const late = round.operations.filter(({ kind }) => kind === 'post while revoked')
    expect(late).toEqual([expect.objectContaining({ fault: 'none' })])
    expect(late[0]).not.toHaveProperty('end')
    expect(rounds[round.number - 1]?.weather.advanceMs).toBeGreaterThan(3_600_000)
  }
})
