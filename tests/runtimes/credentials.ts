/** A user of the emulator's. It publishes this password; it is not secret. */
export const credentials: { readonly username: string; readonly password: string } = {
  username: 'primary@example.com',
  password: 'not-a-secret-primary',
}

/** The access key that the emulator publishes; nothing in it is secret. */
export const apiKey = {
  accessKeyId: 'EMULATORCLIENTKEY',
  secretAccessKey: 'not-a-secret-emulator-key',
}

/** The user of the service with Digest. */
export const digestUser: { readonly username: string; readonly password: string } = {
  username: 'reader',
  password: 'not-a-secret-password',
}
