import { type Configuration, key, machine } from './configuration.ts'

const legacy = `[default]\nsso_start_url = https://x.awsapps.com/start\nsso_region = eu-west-1\nsso_account_id = 1\nsso_role_name = dev\n`
const legacyFile = '.aws/sso/cache/{sha1:https://x.awsapps.com/start}.json'
const session = `[default]\nsso_session = my-sso\nsso_account_id = 1\nsso_role_name = dev\n[sso-session my-sso]\nsso_start_url = https://x.awsapps.com/start\nsso_region = eu-west-1\nsso_registration_scopes = sso:account:access\n`
const sessionFile = '.aws/sso/cache/{sha1:my-sso}.json'
export const signOn: readonly Configuration[] = [
  {
    name: 'single sign-on',
    config: session,
    files: { [sessionFile]: '{valid}' },
    finds: 'dev:1:valid',
  },
  {
    name: 'single sign-on without a session',
    config: legacy,
    files: { [legacyFile]: '{valid}' },
    finds: 'dev:1:valid',
  },
  { name: 'single sign-on of nobody', config: session, finds: 'error' },
  {
    name: 'single sign-on that is over',
    config: legacy,
    files: { [legacyFile]: '{over}' },
    finds: 'error',
  },
  {
    name: 'single sign-on that is renewed',
    config: session,
    files: { [sessionFile]: '{renewable}' },
    finds: 'dev:1:renewed',
  },
  {
    name: 'single sign-on that cannot be renewed',
    config: session,
    files: { [sessionFile]: '{over}' },
    finds: 'error',
  },
  {
    name: 'single sign-on that is not renewed any more',
    config: session,
    files: { [sessionFile]: '{spent}' },
    finds: 'error',
  },
  {
    name: 'single sign-on whose renewal fails while the token is valid',
    config: session,
    files: { [sessionFile]: '{ending}' },
    finds: 'dev:1:ending',
  },
  {
    name: 'single sign-on that was revoked',
    config: session,
    files: { [sessionFile]: '{revoked}' },
    finds: 'error',
  },
  {
    name: 'single sign-on for a role that is forbidden, on a machine with a role',
    config: session.replace('= dev', '= forbidden'),
    variables: machine,
    files: { [sessionFile]: '{valid}' },
    finds: 'error',
  },
  {
    name: 'single sign-on whose session is not there',
    config: session.replace('[sso-session my-sso]', '[sso-session other]'),
    files: { [sessionFile]: '{valid}' },
    finds: 'error',
  },
  {
    name: 'single sign-on without an account',
    config: session.replace('sso_account_id = 1\n', ''),
    files: { [sessionFile]: '{valid}' },
    finds: 'error',
  },
  {
    name: 'single sign-on whose region contradicts its session',
    config: session.replace('sso_role_name', 'sso_region = eu-west-9\nsso_role_name'),
    files: { [sessionFile]: '{valid}' },
    finds: 'error',
  },
  {
    name: 'single sign-on beside a key: the key counts',
    config: session,
    credentials: `[default]\n${key('FILE')}`,
    files: { [sessionFile]: '{valid}' },
    finds: 'FILE',
  },
  {
    name: 'a cached file that is rubbish',
    config: session,
    files: { [sessionFile]: 'rubbish' },
    finds: 'error',
  },
]

const login = '[default]\nlogin_session = arn:aws:iam::000000000000:user/me\nregion = eu-west-1\n'
const loginFile = '.aws/login/cache/{sha256:arn:aws:iam::000000000000:user/me}.json'
export const logins: readonly Configuration[] = [
  { name: 'a login', config: login, files: { [loginFile]: '{login}' }, finds: 'login' },
  {
    name: 'a login that is renewed',
    config: login,
    files: { [loginFile]: '{login-over}' },
    finds: 'login-renewed',
  },
  { name: 'a login of nobody', config: login, finds: 'error' },
  {
    name: 'a login that is not renewed any more',
    config: login,
    files: { [loginFile]: '{login-spent}' },
    finds: 'error',
  },
]
