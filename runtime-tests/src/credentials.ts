/** A user of the emulator's. It publishes this password; it is not secret. */
export const credentials: { readonly username: string; readonly password: string } = {
  username: 'primary@example.com',
  password: 'not-a-secret-primary',
}
