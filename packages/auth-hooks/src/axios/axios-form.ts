import type { AxiosPlatform, NodeStream } from './platform.ts'
import { type SerializedBody, serializeBody } from '../kernel/body.ts'

/** A form of the package form-data, which axios itself makes of an object on Node. */
interface PackagedForm extends NodeStream {
  getHeaders(): Record<string, string>
  getLength(callback: (error: Error | null, length: number) => void): void
  getBuffer(): Uint8Array<ArrayBuffer>
}

/** Whether a body is a stream of Node's, by what axios itself goes by. */
export function isNodeStream(data: unknown): data is NodeStream {
  return typeof data === 'object' && data !== null && 'pipe' in data
}

/** Whether a stream is a form of the package form-data. */
export function isPackagedForm(data: NodeStream): data is PackagedForm {
  return 'getHeaders' in data && 'getLength' in data && 'getBuffer' in data
}

/** Reads a form: as bytes where it has no stream in it, else as the stream that it is. */
export async function readPackagedForm(
  form: PackagedForm,
  platform: AxiosPlatform,
  contentOnly: boolean,
): Promise<{ body: SerializedBody; headers: [name: string, value: string][] }> {
  const headers = Object.entries(form.getHeaders()).filter(
    ([name]) => !contentOnly || /^content-(?:length|type)$/i.test(name),
  )
  try {
    return { body: serializeBody(form.getBuffer()), headers }
  } catch {
    // There is a stream among its parts.
  }
  const size = await new Promise<number | undefined>((resolve) => {
    form.getLength((error, length) => resolve(error ? undefined : length))
  })
  const body = platform.streamBody(form)
  return { body: size === undefined ? body : { ...body, size }, headers }
}
