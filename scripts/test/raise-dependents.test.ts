import { expect, test } from 'vitest'
import { type Bump, raiseDependents } from '../release/raise-dependents.ts'

const at = (version: string) => [
  { name: 'types', version },
  { name: 'hooks', version, dependencies: { types: 'workspace:^' } },
  { name: 'token', version, peerDependencies: { hooks: 'workspace:^' } },
  { name: 'command', version, optionalDependencies: { token: 'workspace:^' } },
  { name: 'emulator', version, dependencies: { types: 'workspace:^' } },
]

function raised(version: string, asked: Record<string, Bump>): Record<string, Bump> {
  return Object.fromEntries(raiseDependents(at(version), new Map(Object.entries(asked))))
}

test('a fix raises nobody, since every range admits it', () => {
  expect(raised('0.1.0', { hooks: 'patch' })).toEqual({})
  expect(raised('1.0.0', { hooks: 'patch' })).toEqual({})
})

test('before 1.0, a minor raises all who depend on it, directly or not, to a minor', () => {
  expect(raised('0.1.0', { hooks: 'minor' })).toEqual({ token: 'minor', command: 'minor' })
})

test('from 1.0 on, a minor raises nobody, and a major everybody above', () => {
  expect(raised('1.2.3', { hooks: 'minor' })).toEqual({})
  expect(raised('1.2.3', { hooks: 'major' })).toEqual({ token: 'major', command: 'major' })
})

test('a dependent with a smaller release of its own is raised, one with as large a release is not', () => {
  const asked: Record<string, Bump> = { types: 'minor', hooks: 'patch', token: 'minor' }
  expect(raised('0.1.0', asked)).toEqual({ hooks: 'minor', emulator: 'minor', command: 'minor' })
})
