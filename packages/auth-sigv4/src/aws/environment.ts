/** There is no environment: a page and a worker are given their key. */
export const environmentKey = (_caller: string): undefined => undefined
