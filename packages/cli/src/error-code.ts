/** Returns the code of a system's error, such as `ENOENT`. */
export function errorCode(error: unknown): string {
  const { code } = Object(error) as { code?: unknown }
  return typeof code === 'string' ? code : 'unknown error'
}
