import { inspect } from './inspect.ts'
import type { Inspection, InspectionTask } from './inspection.ts'

/** A message to the worker: a text to keep, or something to inspect with the one that it keeps. */
export type WorkerMessage =
  | { readonly type: 'source'; readonly source: string | Blob }
  | { readonly type: 'inspect'; readonly id: number; readonly task: Omit<InspectionTask, 'text'> }

/** A message from the worker. */
export interface WorkerReply {
  readonly id: number
  readonly inspection: Inspection
}

let text: Promise<string> = Promise.resolve('')

addEventListener('message', ({ data }: MessageEvent<WorkerMessage>) => {
  if (data.type === 'source') {
    text = typeof data.source === 'string' ? Promise.resolve(data.source) : readBlob(data.source)
    return
  }
  void reply(data.id, data.task)
})

async function readBlob(blob: Blob): Promise<string> {
  // More is refused in any case, with the size in the message.
  const bytes = await blob.slice(0, 65 * 1024 * 1024).arrayBuffer()
  return new TextDecoder().decode(bytes)
}

async function reply(id: number, task: Omit<InspectionTask, 'text'>): Promise<void> {
  const send = (inspection: Inspection): void => {
    const message: WorkerReply = { id, inspection }
    postMessage(message)
  }
  try {
    send(await inspect({ ...task, text: await text }))
  } catch {
    // The page waits for a reply, whatever went wrong.
    const message = 'This could not be read, by a fault of the page itself.'
    send({ type: 'failed', kind: 'http', where: 'request', message })
  }
}
