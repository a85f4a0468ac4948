import { isMap, isScalar, parseDocument, visit, type YAMLMap } from 'yaml'

const pinned = /^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/
const version = /^ v\d+\.\d+\.\d+$/

/** Returns a line for each gap of a workflow that GitHub would let pass. */
export function checkWorkflow(text: string): string[] {
  const document = parseDocument(text)
  if (document.errors.length > 0) return document.errors.map(({ message }) => message)
  const workflow = document.contents
  if (!isMap(workflow)) return ['it is no workflow']

  const permissions = workflow.get('permissions')
  const jobs = workflow.get('jobs')
  return [
    ...(isMap(permissions) && permissions.items.length === 0
      ? []
      : ['permissions of the workflow must be {}']),
    ...(workflow.has('concurrency') ? [] : ['concurrency is missing']),
    // npm is told who publishes by the identity of the job.
    ...(/secrets\b/.test(text) ? ['it uses a secret'] : []),
    ...(/pull_request_target\b/.test(text) ? ['it gives rights to what strangers send'] : []),
    ...(isMap(jobs) ? jobs.items.flatMap(checkJob) : ['jobs are missing']),
    ...checkActions(workflow),
    ...checkScripts(workflow),
  ]
}

function checkJob({ key, value: job }: YAMLMap['items'][number]): string[] {
  const name = String(key)
  if (!isMap(job)) return [`${name} is no job`]
  const mayPublish = name === 'publish'
  // The workflow that it calls says these itself.
  const fields = job.has('uses') ? [] : ['timeout-minutes', 'runs-on']
  return [
    ...fields.filter((field) => !job.has(field)).map((field) => `${name} has no ${field}`),
    // Neither nothing nor `write-all` is a map.
    ...(isMap(job.get('permissions')) ? [] : [`${name} must name each of its permissions`]),
    ...(job.hasIn(['permissions', 'id-token']) && !mayPublish
      ? [`${name} may not ask for an identity`]
      : []),
  ]
}

/** Checks that actions are commits with their version in a comment, and that checkout leaves no token. */
function checkActions(workflow: YAMLMap): string[] {
  const faults: string[] = []
  visit(workflow, {
    Map(_key, step) {
      const uses = step.get('uses', true)
      if (!isScalar(uses)) return
      const action = String(uses.value)
      // A workflow of the same commit.
      if (action.startsWith('./.github/workflows/')) return
      if (!pinned.test(action)) faults.push(`${action} is not pinned`)
      else if (!version.test(uses.comment ?? '')) faults.push(`${action} has no version beside it`)
      const isCheckout = action.startsWith('actions/checkout@')
      if (isCheckout && step.getIn(['with', 'persist-credentials']) !== false) {
        faults.push(`${action} leaves its token behind`)
      }
    },
  })
  return faults
}

/** Checks for expressions that a shell would run, such as the name of a branch; only a matrix is our own. */
function checkScripts(workflow: YAMLMap): string[] {
  const faults: string[] = []
  visit(workflow, {
    Map(_key, step) {
      const script = step.get('run')
      if (typeof script !== 'string' || !/\$\{\{(?!\s*matrix\.)/.test(script)) return
      faults.push(`${script} is put together from what others may name`)
    },
  })
  return faults
}
