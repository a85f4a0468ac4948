/**
 * Keeps a sign-in in the keychain of a phone, by way of Expo's SecureStore. Uses the module that your app has, and
 * imports none.
 *
 * @module @svc/auth-token/secure-store
 */
import { check, checkOptions, type OptionNames } from '@svc/auth-hooks/scheme'
import { storeAt } from '../sharing/sharing.ts'
import type { SharedTokenStore } from '../token.ts'
import { createProcessLocks, type ProcessLocks } from './locks.ts'
import type { TokenRecord } from './store.ts'

/**
 * The part that is used of `expo-secure-store`, or of a module of your own with these functions: one that keeps texts
 * of up to 2048 bytes under names of letters, digits, `.`, `-` and `_`.
 *
 * @template ItemOptions - The options of its functions.
 * @see https://docs.expo.dev/versions/latest/sdk/securestore/
 */
export interface SecureStore<ItemOptions extends object = object> {
  /** Resolves to the text of a name, or to `null`. */
  getItemAsync(name: string, options?: ItemOptions): Promise<string | null>
  /** Replaces the text of a name, all of it or nothing. */
  setItemAsync(name: string, text: string, options?: ItemOptions): Promise<void>
  /** Removes a name. */
  deleteItemAsync(name: string, options?: ItemOptions): Promise<void>
}

/**
 * Options of {@link secureTokenStore}.
 *
 * @template ItemOptions - The options of the functions of the SecureStore.
 */
export interface SecureTokenStoreOptions<ItemOptions extends object = object> {
  /**
   * The beginning of all names in the SecureStore: letters, digits, `.`, `-` and `_`.
   *
   * @default `'svc-auth'`
   */
  prefix?: string | undefined
  /**
   * Given to each function of the SecureStore, such as `{ keychainAccessible }`.
   *
   * @default none
   */
  itemOptions?: ItemOptions | undefined
}

const caller = '[@svc/auth-token] secureTokenStore'

const optionNames: OptionNames<SecureTokenStoreOptions> = {
  prefix: 'keyPrefix namespace name',
  itemOptions: 'options secureStoreOptions',
}

/** The most that is put under one name. A SecureStore takes 2048 bytes, and older ones warn or fail beyond. */
const mostBytes = 2000
const mostParts = 2 ** 12

/** What stands under the first name of a record. A long record is in parts under other names. */
interface Head {
  readonly version: 1
  readonly generation: number
  readonly sealed?: string | undefined
  /** The names of the parts go on with `a` or `b`, so that those of the record before stay until this one is there. */
  readonly side: 'a' | 'b'
  readonly parts: number
}

interface Shared {
  readonly locks: ProcessLocks
  /** The last change of each record that is under way: a SecureStore has no function that compares and swaps. */
  readonly turns: Map<string, Promise<unknown>>
}

/** What all stores of this process share that are made of one SecureStore. */
const sharedBy = new WeakMap<object, Shared>()

/**
 * Keeps tokens in the keychain (iOS) or the encrypted settings (Android) of a phone, so that a sign-in outlives the app: also one
 * whose refresh token rotates. Only one process of the app may use it at a time. Records are sealed before they get
 * here, for which the app needs `crypto.subtle`.
 *
 * @template ItemOptions - The options of the functions of the SecureStore.
 * @throws TypeError if the SecureStore lacks a function, or if an option is invalid.
 * @example
 * import { createSessionAuth } from '@svc/auth-token'
 * import { refreshToken } from '@svc/auth-token/oauth2'
 * import { type SecureStore, secureTokenStore } from '@svc/auth-token/secure-store'
 *
 * declare const secureStore: SecureStore // import * as secureStore from 'expo-secure-store'
 * const auth = createSessionAuth({
 *   baseUrl: 'https://api.example.com',
 *   ...refreshToken({
 *     issuer: 'https://login.example.com',
 *     clientId: 'phone',
 *     refreshToken: 'that of the sign-in',
 *   }),
 *   store: secureTokenStore(secureStore),
 * })
 * await auth.getToken()
 * @see https://docs.expo.dev/versions/latest/sdk/securestore/
 */
export function secureTokenStore<ItemOptions extends object>(
  secureStore: SecureStore<ItemOptions>,
  options: SecureTokenStoreOptions<ItemOptions> = {},
): SharedTokenStore {
  const functions = ['getItemAsync', 'setItemAsync', 'deleteItemAsync'] as const
  check(
    secureStore && functions.every((name) => typeof secureStore[name] === 'function'),
    caller,
    `secureStore must have the functions ${functions.join(', ')}: import * as SecureStore from 'expo-secure-store'`,
  )
  const { prefix = 'svc-auth', itemOptions } = checkOptions(options, caller, optionNames)
  const isPrefix = typeof prefix === 'string' && /^[\w.-]+$/.test(prefix)
  check(isPrefix, caller, 'prefix must have letters, digits, `.`, `-` and `_` only')
  const isObject = itemOptions === undefined || Object(itemOptions) === itemOptions
  check(isObject, caller, 'itemOptions must be an object')
  const { locks, turns } = sharedOf(secureStore)
  const nameOf = (key: string): string => `${prefix}.${key}`
  const items = itemsOf(secureStore, itemOptions)

  return storeAt(['secure', prefix, secureStore], {
    get: (key) => inTurn(turns, nameOf(key), async () => read(items, nameOf(key))),
    // The time to live is not kept: a sealed record knows its own, and the next takes its place.
    compareAndSwap: (key, record, { fencingToken = Infinity }) =>
      inTurn(turns, nameOf(key), async () => {
        if (fencingToken < locks.fencingToken(nameOf(key))) return false
        const before = readHead(await items.get(nameOf(key)))
        if (record.generation !== (before?.generation ?? 0) + 1) return false
        await replace(items, nameOf(key), before, record)
        return true
      }),
    // A lock ends with the app, the only process that there is.
    lock: (key, lock) => locks.lock(nameOf(key), lock),
    unlock: (key, owner) => locks.unlock(nameOf(key), owner),
  })
}

function sharedOf(secureStore: object): Shared {
  const known = sharedBy.get(secureStore)
  if (known) return known
  const shared = { locks: createProcessLocks(() => Date.now()), turns: new Map() }
  sharedBy.set(secureStore, shared)
  return shared
}

/** Runs an action once those before it on the same record are over. */
async function inTurn<Result>(
  turns: Shared['turns'],
  name: string,
  action: () => Promise<Result>,
): Promise<Result> {
  const turn = (turns.get(name) ?? Promise.resolve()).then(action)
  const over = turn.then(Boolean, Boolean)
  turns.set(name, over)
  try {
    return await turn
  } finally {
    if (turns.get(name) === over) turns.delete(name)
  }
}

/** The functions of a SecureStore, with the options of the caller. */
interface Items {
  get(name: string): Promise<string | null>
  set(name: string, text: string): Promise<void>
  remove(name: string): Promise<void>
}

function itemsOf<ItemOptions extends object>(
  secureStore: SecureStore<ItemOptions>,
  options: ItemOptions | undefined,
): Items {
  // Expo takes an object, but not `undefined` in its place.
  const given: [] | [ItemOptions] = options ? [options] : []
  return {
    get: (name) => secureStore.getItemAsync(name, ...given),
    set: (name, text) => secureStore.setItemAsync(name, text, ...given),
    remove: (name) => secureStore.deleteItemAsync(name, ...given),
  }
}

function partName(name: string, side: Head['side'], part: number): string {
  return `${name}.${side}${part}`
}

async function read(items: Items, name: string): Promise<TokenRecord | undefined> {
  const text = await items.get(name)
  if (text === null) return undefined
  const head = readHead(text)
  // It may be that of a sign-in that has rotated, so it must not count as missing.
  if (!head) return { generation: 0, sealed: '' }
  const { generation, parts, side, sealed } = head
  if (sealed !== undefined) return { generation, sealed }
  const names = Array.from({ length: parts }, (_, part) => partName(name, side, part))
  const texts = await Promise.all(names.map((one) => items.get(one)))
  // A part that is gone makes a record that cannot be opened. It keeps its number, so that the next can be written.
  return { generation, sealed: texts.includes(null) ? '' : texts.join('') }
}

/** Puts a record in the place of another. If the app ends in between, that one stays. */
async function replace(
  items: Items,
  name: string,
  before: Head | undefined,
  { generation, sealed }: TokenRecord,
): Promise<void> {
  const side = before?.side === 'a' ? 'b' : 'a'
  const head: Head = { version: 1, generation, side, parts: 0, sealed }
  const whole = JSON.stringify(head)
  if (whole.length <= mostBytes) {
    await items.set(name, whole)
  } else {
    const parts = Math.ceil(sealed.length / mostBytes)
    for (let part = 0; part < parts; part += 1) {
      const text = sealed.slice(part * mostBytes, (part + 1) * mostBytes)
      await items.set(partName(name, side, part), text)
    }
    await items.set(name, JSON.stringify({ ...head, parts, sealed: undefined }))
  }
  // The record is there, so that what fails here does no harm: the next but one writes over it.
  for (let part = 0; part < (before?.parts ?? 0); part += 1) {
    await items.remove(partName(name, before?.side ?? side, part)).catch(() => {})
  }
}

/** Reads a head. Returns `undefined` if there is none, or one that is damaged. */
function readHead(text: string | null): Head | undefined {
  try {
    const head: Partial<Head> = Object(JSON.parse(text ?? ''))
    const { version, generation, parts, side, sealed } = head
    const isHead =
      version === 1 &&
      Number.isSafeInteger(generation) &&
      Number.isSafeInteger(parts) &&
      Number(parts) <= mostParts &&
      (side === 'a' || side === 'b') &&
      (sealed === undefined || typeof sealed === 'string')
    // As was just checked.
    return isHead ? (head as Head) : undefined
  } catch {
    return undefined
  }
}
