import { defaultApiKeys, defaultUsers } from '@svc/emulator'

const [user] = defaultUsers
const [apiKey] = defaultApiKeys

/** Options of `createServiceAuth` that every emulator accepts. */
export const account = { region: 'us-east-1', user, apiKey }

/** The same, with a password that none accepts. */
export const wrongAccount = { ...account, user: { username: user.username, password: 'wrong' } }
