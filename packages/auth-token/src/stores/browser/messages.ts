import type { TokenRecord } from '../store.ts'

/** A record as a tab tells it to others. */
export interface SaidRecord extends TokenRecord {
  readonly key: string
  /** The time for which it is kept. */
  readonly ttlMs: number
}

/** A lock that a tab has, or has extended. */
export interface SaidLock {
  readonly key: string
  readonly owner: string
  readonly fencingToken: number
  readonly ttlMs: number
}

/** What tabs say to each other. */
export type Said =
  /** A tab is there, and wants to know what the others know. */
  | { readonly type: 'hello' }
  /** A tab is left or frozen, and acknowledges nothing for now. */
  | { readonly type: 'bye' }
  /** Only for the tab that says it: what it hears before was said before. */
  | { readonly type: 'sync' }
  | { readonly type: 'acknowledged'; readonly to: string; readonly which: number }
  | {
      readonly type: 'state'
      readonly to: string
      readonly records: readonly SaidRecord[]
      readonly locks: readonly SaidLock[]
    }
  | ({ readonly type: 'record' } & SaidRecord)
  | ({ readonly type: 'lock' } & SaidLock)
  | { readonly type: 'unlock'; readonly key: string; readonly owner: string }

/** The version of these messages. A tab takes no message of another one. */
export const protocolVersion = 1

/** A message with its sender, which numbers its messages. */
export type Message = Said & { readonly from: string; readonly id: number }

/** Reads what came on the channel, which any script of the origin can post to. */
export function readMessage(data: unknown): Message | undefined {
  const given: Record<string, unknown> = Object(data)
  const { svcAuth, from, id, type } = given
  const isMessage = svcAuth === protocolVersion && isText(from) && isCount(id) && isType(type)
  // As the reader of its type says.
  return isMessage && typeReaders[type](given) ? (given as unknown as Message) : undefined
}

type Check = (given: Record<string, unknown>) => boolean

const isText = (value: unknown): value is string => typeof value === 'string'
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0
const isDuration = (value: unknown): boolean => Number.isFinite(value) && Number(value) >= 0

const isRecord: Check = ({ key, generation, sealed, ttlMs }) =>
  isText(key) && isCount(generation) && isText(sealed) && isDuration(ttlMs)
const isLock: Check = ({ key, owner, fencingToken, ttlMs }) =>
  isText(key) && isText(owner) && isCount(fencingToken) && isDuration(ttlMs)
const areAll = (list: unknown, check: Check): boolean =>
  Array.isArray(list) && list.every((one) => check(Object(one)))

const typeReaders: Readonly<Record<Said['type'], Check>> = {
  hello: () => true,
  bye: () => true,
  sync: () => true,
  acknowledged: ({ to, which }) => isText(to) && isCount(which),
  state: ({ to, records, locks }) =>
    isText(to) && areAll(records, isRecord) && areAll(locks, isLock),
  record: isRecord,
  lock: isLock,
  unlock: ({ key, owner }) => isText(key) && isText(owner),
}
const isType = (type: unknown): type is Said['type'] =>
  isText(type) && Object.hasOwn(typeReaders, type)
