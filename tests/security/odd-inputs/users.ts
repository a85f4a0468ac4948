/** The user whose sessions and the key whose signatures the cases use: nothing in them is secret. */
export const user = { username: 'odd@example.com', password: 'not-a-secret-of-odd-inputs' } as const

/** The key of the signatures. */
export const apiKey = { accessKeyId: 'ODDKEY', secretAccessKey: 'not-a-secret-odd-key' } as const
