import { vi } from 'vitest'
import { testHandler } from './msw-suite.ts'

vi.mock('msw', () => import('msw2'))
vi.mock('msw/node', () => import('msw2/node'))

testHandler()
