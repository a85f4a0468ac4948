import { workerCode } from 'virtual:worker-code'
import type { Inspection, InspectionTask } from './inspection.ts'
import type { WorkerMessage, WorkerReply } from './worker.ts'

/** The longest that an inspection may take, in milliseconds. */
const longestMs = 10_000

/** Inspects in a worker, so that the page never freezes, and ends what takes too long. */
export interface Inspector {
  /** Gives the text that is inspected from now on. */
  setSource(source: string | Blob): void
  /** Inspects it; a newer task makes an older one's result void. */
  inspect(task: Omit<InspectionTask, 'text'>, done: (inspection: Inspection) => void): void
  /** Ends the worker, and with it all that it knows. */
  close(): void
}

/** What this page needs of the Trusted Types that TypeScript's DOM does not know yet. */
interface PolicyFactory {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string }
}

let made = ''

// The one script that may be run beside the page's own is the one made here.
const policy = (globalThis as { trustedTypes?: PolicyFactory }).trustedTypes?.createPolicy(
  'inspector-worker',
  {
    createScriptURL(url) {
      if (url === made && url.startsWith('blob:')) return url
      throw new TypeError('only the worker of this page is a script')
    },
  },
)

/**
 * Starts a worker of a Blob: unlike one from the network, it has the policy of this document, and connects to nothing.
 */
function startWorker(): Worker {
  made = URL.createObjectURL(new Blob([workerCode], { type: 'text/javascript' }))
  const worker = new Worker(policy?.createScriptURL(made) ?? made)
  URL.revokeObjectURL(made)
  return worker
}

/** Creates an inspector; its worker is started when it is first needed. */
export function createInspector(): Inspector {
  let worker: Worker | undefined
  let source: string | Blob = ''
  let isSourceSent = false
  let lastId = 0
  let overdue: ReturnType<typeof setTimeout> | undefined
  let done: ((inspection: Inspection) => void) | undefined

  const close = (): void => {
    clearTimeout(overdue)
    worker?.terminate()
    worker = undefined
    isSourceSent = false
    done = undefined
  }
  const finish = (inspection: Inspection): void => {
    clearTimeout(overdue)
    done?.(inspection)
  }
  const open = (): Worker => {
    if (worker) return worker
    const started = startWorker()
    started.addEventListener('message', ({ data }: MessageEvent<WorkerReply>) => {
      if (data.id === lastId) finish(data.inspection)
    })
    started.addEventListener('error', () =>
      finish(failed('This could not be read: the page ran out of memory.')),
    )
    worker = started
    return started
  }
  const send = (message: WorkerMessage): void => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- workers have no origin
    open().postMessage(message)
  }

  return {
    setSource(next) {
      if (next === source) return
      source = next
      isSourceSent = false
    },
    inspect(task, whenDone) {
      clearTimeout(overdue)
      if (!isSourceSent) send({ type: 'source', source })
      isSourceSent = true
      lastId += 1
      done = whenDone
      send({ type: 'inspect', id: lastId, task })
      overdue = setTimeout(() => {
        close()
        whenDone(failed('This took more than 10 seconds to read, and was ended.'))
      }, longestMs)
    },
    close() {
      close()
      source = ''
    },
  }
}

function failed(message: string): Inspection {
  return { type: 'failed', kind: 'http', where: 'request', message }
}
