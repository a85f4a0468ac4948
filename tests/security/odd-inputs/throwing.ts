/** Returns an object that throws when it is turned into text or a number. */
export function throwingObject(): object {
  const fail = (): never => {
    throw new Error('it has no text')
  }
  return { toString: fail, valueOf: fail, toJSON: fail, [Symbol.toPrimitive]: fail }
}

/** Returns an object that throws whatever is done to it. */
export function throwingProxy(target: object = {}): object {
  const fail = (): never => {
    throw new Error('it is not to be touched')
  }
  return new Proxy(target, {
    get: fail,
    has: fail,
    ownKeys: fail,
    getOwnPropertyDescriptor: fail,
    getPrototypeOf: fail,
  })
}
