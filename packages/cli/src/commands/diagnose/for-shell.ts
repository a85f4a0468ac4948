/** What a diagnosis says to programs, and what a user of the command does in its place. */
const sayings: readonly (readonly [program: RegExp, shell: string])[] = [
  [/createSigV4Auth\(\{ …, region: '([\w.-]+)' \}\)/g, '--region $1, or SVC_AUTH_REGION=$1'],
  [/createSigV4Auth\(\{ …, service/g, 'no flag does that; in a program, $&'],
  [/explain\(auth, …\)/g, 'svc-auth explain'],
  [/, or pass the clock option/g, ''],
  [/ or with different options \(signHeaders\),/g, ''],
  [/\(the payload option or (x-amz-content-sha256)\)/g, '($1)'],
  [
    /Pass credentials as a function that returns expiresAt, and they are renewed ahead of time\./g,
    'A credential_process that prints an Expiration is run again ahead of it.',
  ],
]

/** Returns a sentence of a diagnosis with flags in the place of the library's options. */
export function forShell(sentence: string): string {
  return sayings.reduce((text, [program, shell]) => text.replace(program, shell), sentence)
}
