import { nativeEngine } from '@svc/auth-sigv4/native'
import { report } from '../jobs/report.ts'
import { cpuTimeNs } from '../measure/cpu-time.ts'
import { timeCalls } from '../measure/time-calls.ts'
import { origin, type SigningCase } from '../signing/case.ts'
import { throughAuthorize } from '../signing/contenders/authorize.ts'
import { type Dimension, type GrowthCurve, growthJob } from './growth-job.ts'

interface GrowingRequest extends Dimension {
  readonly requestOf: (size: number) => SigningCase
}

const get = { name: 'growing', method: 'GET', url: `${origin}/V1/report`, headers: {} }

const growing: readonly GrowingRequest[] = [
  {
    name: 'signing, path',
    unit: 'characters',
    sizes: [64, 256, 512, 1024, 2048, 4096, 6144, 8192],
    requestOf: (size) => ({ ...get, url: `${origin}/V1/${'path/'.repeat(size / 5)}` }),
  },
  {
    name: 'signing, headers',
    unit: 'signed headers',
    sizes: [1, 8, 16, 32, 64, 96, 128, 192],
    requestOf: (size) => ({
      ...get,
      headers: Object.fromEntries(many(size, (at) => [`x-amz-meta-name-${at}`, `value ${at}`])),
    }),
  },
  {
    name: 'signing, query',
    unit: 'parameters',
    sizes: [1, 16, 64, 128, 256, 512, 768, 1024],
    requestOf: (size) => ({
      ...get,
      url: `${get.url}?${many(size, (at) => `name${at}=value%20${at}`).join('&')}`,
    }),
  },
  {
    name: 'signing, body',
    unit: 'KiB',
    sizes: [1, 64, 128, 256, 512, 1024, 2048, 4096],
    requestOf: (size) => ({ ...get, method: 'PUT', body: new Uint8Array(size * 1024) }),
  },
]

await report(growthJob, async (effort) => {
  const curves: GrowthCurve[] = []
  for (const { requestOf, ...dimension } of growing) {
    const contender = throughAuthorize(nativeEngine())
    const prepared = await Promise.all(
      dimension.sizes.map((size) => contender.prepare(requestOf(size))),
    )
    const rounds = await timeCalls(
      prepared.map(({ sign }) => sign),
      effort,
      cpuTimeNs,
    )
    curves.push({ ...dimension, quantity: 'µs', rounds })
  }
  return curves
})

function many<T>(count: number, make: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(at))
}
