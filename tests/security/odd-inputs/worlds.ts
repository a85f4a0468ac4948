/* oxlint-disable typescript/no-unsafe-type-assertion -- globals are replaced by others, as programs do it */
import type { OddCase } from './plan.ts'

/** Replaces globals, as a program or a test runner around us may have. Only for a process of its own. */
export async function enterWorld({ world }: Pick<OddCase, 'world'>): Promise<void> {
  const { fetch, Promise: OwnPromise } = globalThis
  switch (world) {
    case 'plain':
      return
    case 'promise-subclass':
      globalThis.Promise = class TracedPromise<T> extends OwnPromise<T> {}
      return
    case 'promise-library':
      globalThis.Promise = libraryPromise(OwnPromise) as unknown as typeof Promise
      return
    case 'fetch-replaced':
      // What tracing makes of it: another function, that looks at the response.
      globalThis.fetch = (...given) =>
        fetch(...given).then((response) => {
          void response.status
          return response
        })
      return
    case 'fetch-throwing':
      globalThis.fetch = () => {
        throw new TypeError('fetch is not to be used')
      }
      return
    case 'no-throw-if-aborted':
      Reflect.deleteProperty(AbortSignal.prototype, 'throwIfAborted')
      return
    case 'no-any':
      Reflect.deleteProperty(AbortSignal, 'any')
      return
    case 'classes-of-undici8': {
      const { FormData, Headers, Request, Response } = await import('undici')
      Object.assign(globalThis, { FormData, Headers, Request, Response })
    }
  }
}

/** Returns a constructor of promises that are none of the engine's. */
function libraryPromise(Own: PromiseConstructor): object {
  class LibraryPromise {
    readonly #promise: Promise<unknown>

    constructor(executor: ConstructorParameters<PromiseConstructor>[0]) {
      this.#promise = new Own(executor)
    }

    // oxlint-disable-next-line unicorn/no-thenable -- this is what it is for
    then(...callbacks: Parameters<Promise<unknown>['then']>): LibraryPromise {
      return new LibraryPromise((resolve) => resolve(this.#promise.then(...callbacks)))
    }

    catch(callback: (error: unknown) => unknown): LibraryPromise {
      return this.then(undefined, callback)
    }

    finally(callback: () => void): LibraryPromise {
      return new LibraryPromise((resolve) => resolve(this.#promise.finally(callback)))
    }
  }
  const wrapped =
    (name: 'all' | 'race' | 'any' | 'allSettled' | 'resolve' | 'reject') =>
    (value: never): LibraryPromise =>
      new LibraryPromise((resolve) => resolve((Own[name] as (given: never) => unknown)(value)))
  return Object.assign(LibraryPromise, {
    all: wrapped('all'),
    allSettled: wrapped('allSettled'),
    any: wrapped('any'),
    race: wrapped('race'),
    reject: wrapped('reject'),
    resolve: wrapped('resolve'),
  })
}
