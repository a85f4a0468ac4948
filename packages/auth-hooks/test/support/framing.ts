/** Headers that frame a stream in a way that is an error, with its code. */
export const oddFramings: [headers: Record<string, string>, code: string][] = [
  ...['5, 5', '+3', '-1', '1e3', '0x3', 'abc'].map((length): [Record<string, string>, string] => [
    { 'content-length': length },
    'ERR_AUTH_BODY',
  ]),
  [{ 'content-length': '3', 'transfer-encoding': 'chunked' }, 'ERR_AUTH_BODY'],
  [{ 'transfer-encoding': 'gzip, chunked' }, 'ERR_AUTH_HEADER'],
  [{ 'transfer-encoding': 'identity' }, 'ERR_AUTH_HEADER'],
]
