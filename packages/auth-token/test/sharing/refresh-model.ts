import { type Settlement, settled, type SharedContent } from '../testing.ts'

/**
 * A model of processes that share a rotating refresh token by a store: every order in which their reads, locks, notes,
 * requests and writes can happen, with processes that die, writes whose outcome nobody learns and that may land later,
 * locks and waits that run out at any time, requests that never arrive, and responses that are lost.
 *
 * What a sender writes over its note is decided by the package's own function; the rest is written here step by step
 * as `logInForAll`, `sendNoted` and `settle` do it.
 */
export interface Bounds {
  /** The version of the refresh token that each process wants to see. */
  readonly wants: readonly number[]
  /** Processes that run the version of the package before, whose notes have no end. */
  readonly old?: readonly number[]
  readonly crashes: number
  /** Locks that run out while their owner is stopped. */
  readonly expiries: number
  readonly slowWrites: number
  readonly unsent: number
  readonly refused: number
  readonly lostResponses: number
  /** The times that a store goes back to any record before, or to none, as after a failover. */
  readonly rollbacks: number
  /** `gone`: who waits gives up only on a sender that has died or got no response; `any`: at any time. */
  readonly waitsEnd: 'gone' | 'any'
}

interface Snapshot {
  readonly generation: number
  readonly content: SharedContent
}

interface Store extends Snapshot {
  /** The records that it may go back to, the last of them first. */
  readonly before: readonly Snapshot[]
  readonly owner: number
  readonly fence: number
}

type Step =
  | { readonly at: 'look' }
  | { readonly at: 'lock' }
  | { readonly at: 'look again'; readonly fence: number }
  | { readonly at: 'note'; readonly seen: Snapshot; readonly fence: number }
  | { readonly at: 'send'; readonly id: string; readonly seen: Snapshot }
  | { readonly at: 'settle'; readonly id: string; readonly as: Settlement }
  | {
      readonly at: 'write'
      readonly id: string
      readonly as: Settlement
      readonly seen: Snapshot
    }
  | { readonly at: 'end'; readonly how: 'token' | 'lost' | 'store' | 'died' | 'kept' }

interface Process {
  readonly step: Step
  readonly turns: number
  /** The generation below which it takes a record for one that came back. */
  readonly knows: number
  /** The latest generation that it ever saw. */
  readonly saw: number
}

interface LateWrite extends Snapshot {
  readonly fence: number | undefined
}

interface State {
  readonly store: Store
  readonly late: readonly LateWrite[]
  readonly processes: readonly Process[]
  /** The refresh token that the server takes. */
  readonly valid: number
  /** The notes whose senders got no response. */
  readonly unanswered: readonly string[]
  readonly left: Omit<Bounds, 'wants' | 'old' | 'waitsEnd'>
}

export interface Search {
  readonly states: number
  readonly transitions: number
  readonly ends: number
  readonly violations: readonly string[]
}

const versionOf = ({ refreshToken }: SharedContent): number => Number(refreshToken?.slice(1) ?? 0)
const ownerOf = (id: string): number => Number(id.slice(1, 2))

/** What a process does by itself. */
interface Rules {
  /** Decides what a sender writes over its note: the package's own function, or one with a fault. */
  readonly settle: typeof settled
  /** Returns the generation below which records came back, after a sender looked at one of any age. */
  readonly known: (before: number, generation: number) => number
}

/**
 * Searches every state that can be reached.
 *
 * @param sought - The violation at which the search ends.
 */
export function searchModel(bounds: Bounds, own: Partial<Rules> = {}, sought = ''): Search {
  const rules: Rules = { settle: settled, known: Math.max, ...own }
  const { wants, old = [], waitsEnd: _, ...left } = bounds
  const nothing = { generation: 0, content: {} }
  const start: State = {
    store: { ...nothing, before: [], owner: -1, fence: 0 },
    late: [],
    processes: wants.map(() => ({ step: { at: 'look' }, turns: 0, knows: 0, saw: 0 })),
    valid: 0,
    unanswered: [],
    left,
  }
  const seen = new Set([JSON.stringify(start)])
  const queue = [start]
  const violations = new Set<string>()
  let transitions = 0
  let ends = 0
  for (let state = queue.pop(); state; state = queue.pop()) {
    const next = nextStates(state, bounds, rules, violations)
    if (violations.has(sought)) break
    transitions += next.length
    if (state.processes.every(({ step }) => step.at === 'end') && state.late.length === 0) {
      ends += 1
      judge(state, bounds, old, violations)
    }
    for (const one of next) {
      const key = JSON.stringify(one)
      if (seen.has(key)) continue
      seen.add(key)
      queue.push(one)
    }
  }
  return { states: seen.size, transitions, ends, violations: [...violations] }
}

/** Judges a state in which nothing can happen any more. */
function judge(
  state: State,
  bounds: Bounds,
  old: readonly number[],
  violations: Set<string>,
): void {
  const { store, processes, valid, left } = state
  const hasDied = left.crashes < bounds.crashes
  const isLost = left.lostResponses < bounds.lostResponses
  const hasGoneBack = left.rollbacks < bounds.rollbacks
  if (hasDied || isLost || hasGoneBack || old.length > 0) return
  const told = processes.some(({ step }) => step.at === 'end' && step.how === 'lost')
  if (told && bounds.waitsEnd === 'gone') violations.add('a sign-in was told lost for nothing')
  if (store.content.spending || versionOf(store.content) !== valid) {
    violations.add('the sign-in did not heal')
  }
}

function nextStates(
  state: State,
  { wants, waitsEnd, rollbacks, old = [] }: Bounds,
  { settle, known }: Rules,
  violations: Set<string>,
): State[] {
  const { store, late, processes, left } = state
  const next: State[] = []
  const go = (
    index: number,
    step: Step,
    change: Partial<State> = {},
    knows?: number,
    saw = knows ?? 0,
  ): void => {
    const own = processes[index] as Process
    const moved = {
      ...own,
      step,
      turns: own.turns + Number(own.step.at === 'note' && step.at !== 'look'),
      knows: knows ?? own.knows,
      saw: Math.max(own.saw, saw),
    }
    const all = processes.map((one, other) => (other === index ? moved : one))
    next.push({ ...state, processes: all, ...change })
  }
  const written = (record: Snapshot): Store => ({
    ...store,
    ...record,
    before:
      left.rollbacks > 0
        ? [{ generation: store.generation, content: store.content }, ...store.before]
        : [],
  })
  const fits = ({ generation }: Snapshot, fence?: number): boolean =>
    generation === store.generation + 1 && (fence === undefined || fence >= store.fence)
  const freed = (index: number, from = store): Store =>
    from.owner === index ? { ...from, owner: -1 } : from

  for (const write of late) {
    const others = late.filter((one) => one !== write)
    next.push({ ...state, late: others })
    if (fits(write, write.fence)) {
      const { generation, content } = write
      next.push({ ...state, late: others, store: written({ generation, content }) })
    }
  }
  // The lock of a process that has ended runs out in any case, that of another one because it was stopped.
  const isOver = processes[store.owner]?.step.at === 'end'
  if (store.owner >= 0 && (isOver || left.expiries > 0)) {
    const expiries = left.expiries - Number(!isOver)
    next.push({ ...state, store: { ...store, owner: -1 }, left: { ...left, expiries } })
  }
  for (const [index, record] of left.rollbacks > 0 ? store.before.entries() : []) {
    const back = { ...store, ...record, before: store.before.slice(index + 1) }
    next.push({ ...state, store: back, left: { ...left, rollbacks: left.rollbacks - 1 } })
  }

  for (const [index, { step, turns, knows, saw }] of processes.entries()) {
    if (step.at === 'end') continue
    const isOld = old.includes(index)
    const { generation, content } = store
    const seen = { generation, content }
    if (left.crashes > 0) {
      const fewer = { ...left, crashes: left.crashes - 1 }
      // Its lock runs out by itself.
      go(index, { at: 'end', how: 'died' }, { left: fewer })
    }
    const swap = (
      record: Snapshot,
      fence: number | undefined,
      then: { yes: Step; no: Step; unknown: Step },
    ): void => {
      const isWritten = fits(record, fence)
      const nextStep = isWritten ? then.yes : then.no
      const after = isWritten ? written(record) : store
      // Who goes on to another login has freed the lock of this one.
      const kept = nextStep.at === 'look' ? freed(index, after) : after
      go(index, nextStep, { store: kept }, isWritten ? record.generation : undefined)
      if (left.slowWrites > 0) {
        const fewer = { ...left, slowWrites: left.slowWrites - 1 }
        go(index, then.unknown, { left: fewer, late: [...late, { ...record, fence }] })
      }
    }
    switch (step.at) {
      case 'look': {
        // A store that went back is seen by those who know of a later record.
        if (generation < knows) go(index, { at: 'end', how: 'store' })
        else if (versionOf(content) >= (wants[index] ?? 0) && !content.spending) {
          go(index, { at: 'end', how: 'token' }, {}, generation)
        } else if (!content.spending) go(index, { at: 'lock' }, {}, generation)
        else if (isOld || content.spending.lostAt !== undefined) {
          go(index, { at: 'end', how: 'lost' }, {}, generation)
        } else {
          const { id } = content.spending
          const sender = processes[ownerOf(id)]?.step
          const hasEnded = sender?.at === 'end' && sender.how !== 'kept'
          const isGone = hasEnded || state.unanswered.includes(id)
          if (waitsEnd === 'gone' && !isGone) break
          const spending = { ...content.spending, lostAt: 1 }
          const lost = { generation: generation + 1, content: { ...content, spending } }
          go(index, { at: 'end', how: 'lost' }, { store: written(lost) }, lost.generation)
        }
        break
      }
      case 'lock': {
        if (store.owner < 0) {
          const fence = store.fence + 1
          go(index, { at: 'look again', fence }, { store: { ...store, owner: index, fence } })
        }
        break
      }
      case 'look again': {
        if (generation < knows) go(index, { at: 'end', how: 'store' }, { store: freed(index) })
        else if (versionOf(content) >= (wants[index] ?? 0) || content.spending) {
          go(index, { at: 'look' }, { store: freed(index) }, generation)
        } else go(index, { at: 'note', seen, fence: step.fence }, {}, generation)
        break
      }
      case 'note': {
        const id = `p${index}.${turns}`
        const spending = { id, since: 0 }
        const record = {
          generation: step.seen.generation + 1,
          content: { ...step.seen.content, spending },
        }
        const unsent = { name: 'unspent', base: step.seen.generation } as const
        swap(record, step.fence, {
          yes: { at: 'send', id, seen: isOld ? record : step.seen },
          no: { at: 'look' },
          // The version before left the note to whoever finds it.
          unknown: isOld ? { at: 'end', how: 'store' } : { at: 'settle', id, as: unsent },
        })
        break
      }
      case 'send': {
        const { id } = step
        const spent = versionOf(step.seen.content)
        const unsent = { name: 'unspent', base: step.seen.generation } as const
        const takeBack: Step = { at: 'settle', id, as: unsent }
        if (left.unsent > 0) go(index, takeBack, { left: { ...left, unsent: left.unsent - 1 } })
        if (left.refused > 0) go(index, takeBack, { left: { ...left, refused: left.refused - 1 } })
        if (spent !== state.valid) {
          // Where a store went back, only a process that never saw the later record can be misled.
          const isMisled = left.rollbacks < rollbacks && saw <= step.seen.generation + 1
          if (!isMisled) violations.add('a refresh token was sent twice')
          go(index, { at: 'end', how: 'store' })
          break
        }
        const valid = spent + 1
        const result: Settlement = {
          name: 'result',
          content: { refreshToken: `r${valid}` },
          spent: step.seen.content.refreshToken,
        }
        go(index, { at: 'settle', id, as: result }, { valid })
        if (left.lostResponses > 0) {
          const fewer = { ...left, lostResponses: left.lostResponses - 1 }
          const unanswered = [...state.unanswered, id]
          const as = { name: 'lost', at: 1 } as const
          go(index, { at: 'settle', id, as }, { valid, left: fewer, unanswered })
        }
        break
      }
      case 'settle': {
        const { id, as } = step
        const nextContent = settle(seen, id, as)
        const then = known(knows, generation)
        if (nextContent)
          go(index, { at: 'write', id, as, seen: { generation, content: nextContent } }, {}, then)
        else go(index, { at: 'look' }, { store: freed(index) }, then)
        break
      }
      case 'write': {
        const { id, as } = step
        const record = { generation: step.seen.generation + 1, content: step.seen.content }
        const again: Step = isOld ? { at: 'end', how: 'kept' } : { at: 'settle', id, as }
        swap(record, isOld ? store.fence : undefined, {
          yes: { at: 'look' },
          no: again,
          unknown: again,
        })
        break
      }
    }
  }
  return next
}
