/** Keeps a program alive until a login is done; elsewhere than in workerd, the login itself does. */
export const keepAlive: ((promise: Promise<unknown>) => void) | undefined = undefined
