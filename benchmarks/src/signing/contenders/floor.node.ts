import * as crypto from 'node:crypto'
import { createSigV4Auth } from '@svc/auth-sigv4'
import { explain } from '@svc/auth-sigv4/explain'
import { origin } from '../case.ts'
import { apiKey, region } from '../environment.ts'
import type { Contender } from '../contender.ts'
import { copyFloorName, floorName } from './floor-name.ts'

/** The mathematics alone: the hashes of the body and of the canonical request, and one HMAC. */
export const nodeFloor: Contender = {
  name: floorName,
  role: 'floor',
  async prepare({ method, url, headers, body }) {
    const auth = createSigV4Auth({ baseUrl: origin, region, credentials: apiKey })
    const init = { method, headers, ...(body !== undefined && { body }) }
    const { canonicalRequest, stringToSign } = await explain(auth, url, init)
    const key = crypto.createSecretKey(crypto.randomBytes(32))
    return {
      sign() {
        if (body !== undefined) sha256(body)
        sha256(canonicalRequest)
        return crypto.createHmac('sha256', key).update(stringToSign).digest('hex')
      },
    }
  },
}

/** Bytes are copied once and the copy is hashed once: the least for a body that is signed and may be sent again. */
export const copyFloor: Contender = {
  name: copyFloorName,
  role: 'floor',
  takes: ({ body }) => body instanceof Uint8Array,
  async prepare({ body = '' }) {
    const bytes = Buffer.from(body)
    return { sign: () => sha256(new Uint8Array(bytes)) }
  },
}

// One call if the runtime has it.
const sha256: (data: string | Uint8Array) => string = crypto.hash
  ? (data) => crypto.hash('sha256', data, 'hex')
  : (data) => crypto.createHash('sha256').update(data).digest('hex')
