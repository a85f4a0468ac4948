/** An environment in which a key is looked for. */
export interface Configuration {
  readonly name: string
  /** `~/.aws/config`. */
  readonly config?: string
  /** `~/.aws/credentials`. */
  readonly credentials?: string
  /** Other files, by their paths from the folder of the user. */
  readonly files?: Readonly<Record<string, string>>
  /** Variables; `{home}` is the folder of the user, `{origin}` the services, `{imds}` a machine, `{none}` not set. */
  readonly variables?: Readonly<Record<string, string>>
  /** The profile that the caller chooses. */
  readonly profile?: string
  /** The name of the key that is found; `error` if there is none. */
  readonly finds: string
}

const account = '000000000000'
const arn = (role: string): string => `arn:aws:iam::${account}:role/${role}`

/** Returns the lines of a profile with a key. */
const key = (name: string): string =>
  `aws_access_key_id = ${name}\naws_secret_access_key = secret-of-${name}\n`

const environment = { AWS_ACCESS_KEY_ID: 'ENV', AWS_SECRET_ACCESS_KEY: 'secret-of-ENV' }
const webIdentity = { AWS_WEB_IDENTITY_TOKEN_FILE: '{home}/token', AWS_ROLE_ARN: arn('pod') }
const container = { AWS_CONTAINER_CREDENTIALS_FULL_URI: '{origin}/container' }
const machine = {
  AWS_EC2_METADATA_DISABLED: 'false',
  AWS_EC2_METADATA_SERVICE_ENDPOINT: '{imds}',
}
const token = { token: 'a-token' }
const printing = (id: string, more = ''): string =>
  `echo '{"Version":1,"AccessKeyId":"${id}","SecretAccessKey":"secret-of-${id}"${more}}'`

const fixed: readonly Configuration[] = [
  { name: 'the environment', variables: environment, finds: 'ENV' },
  {
    name: 'the environment with a token',
    variables: { ...environment, AWS_SESSION_TOKEN: 'token-of-ENV' },
    finds: 'ENV',
  },
  {
    name: 'the environment with an empty token',
    variables: { ...environment, AWS_SESSION_TOKEN: '' },
    finds: 'ENV',
  },
  {
    name: 'the environment with a key that ends later',
    variables: { ...environment, AWS_CREDENTIAL_EXPIRATION: '2099-01-01T00:00:00Z' },
    finds: 'ENV',
  },
  {
    name: 'the environment with a key that has ended',
    variables: { ...environment, AWS_CREDENTIAL_EXPIRATION: '2020-01-01T00:00:00Z' },
    finds: 'error',
  },
  {
    name: 'an id without a secret in the environment, and a profile',
    variables: { AWS_ACCESS_KEY_ID: 'ENV' },
    credentials: `[default]\n${key('FILE')}`,
    finds: 'error',
  },
  {
    name: 'a secret without an id in the environment, and a profile',
    variables: { AWS_SECRET_ACCESS_KEY: 'x' },
    credentials: `[default]\n${key('FILE')}`,
    finds: 'FILE',
  },
  {
    name: 'empty variables, and a profile',
    variables: { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' },
    credentials: `[default]\n${key('FILE')}`,
    finds: 'FILE',
  },
  {
    name: 'the environment before the profile default',
    variables: environment,
    credentials: `[default]\n${key('FILE')}`,
    finds: 'ENV',
  },
  {
    name: 'the environment and AWS_PROFILE',
    variables: { ...environment, AWS_PROFILE: 'app' },
    credentials: `[app]\n${key('APP')}`,
    finds: 'ENV',
  },
  {
    name: 'the environment and a profile of the caller',
    variables: environment,
    credentials: `[app]\n${key('APP')}`,
    profile: 'app',
    finds: 'APP',
  },
  { name: 'nothing at all', finds: 'error' },
  { name: 'the default profile', credentials: `[default]\n${key('FILE')}`, finds: 'FILE' },
  {
    name: 'a profile with a token',
    credentials: `[default]\n${key('FILE')}aws_session_token = token-of-FILE\n`,
    finds: 'FILE',
  },
  {
    name: 'AWS_PROFILE',
    variables: { AWS_PROFILE: 'app' },
    credentials: `[default]\n${key('FILE')}[app]\n${key('APP')}`,
    finds: 'APP',
  },
  {
    name: 'an empty AWS_PROFILE',
    variables: { AWS_PROFILE: '' },
    credentials: `[default]\n${key('FILE')}`,
    finds: 'FILE',
  },
  {
    name: 'an AWS_PROFILE that is not there, on a machine with a role',
    variables: { ...machine, AWS_PROFILE: 'typo' },
    credentials: `[default]\n${key('FILE')}`,
    finds: 'error',
  },
  { name: 'a key in the config file', config: `[default]\n${key('CONFIG')}`, finds: 'CONFIG' },
  {
    name: 'a named profile in the config file',
    config: `[profile app]\n${key('CONFIG')}`,
    profile: 'app',
    finds: 'CONFIG',
  },
  {
    name: 'a profile without its prefix in the config file',
    config: `[app]\n${key('CONFIG')}`,
    profile: 'app',
    finds: 'error',
  },
  {
    name: 'a prefix in the credentials file',
    credentials: `[profile app]\n${key('FILE')}`,
    profile: 'app',
    finds: 'error',
  },
  {
    name: 'both files: the credentials file counts first',
    config: `[default]\n${key('CONFIG')}`,
    credentials: `[default]\n${key('FILE')}`,
    finds: 'FILE',
  },
  {
    name: '[profile default] replaces [default]',
    config: `[default]\n${key('PLAIN')}[profile default]\n${key('PREFIXED')}`,
    finds: 'PREFIXED',
  },
  {
    name: 'files elsewhere',
    variables: { AWS_CONFIG_FILE: '{home}/c', AWS_SHARED_CREDENTIALS_FILE: '{home}/k' },
    files: { c: `[default]\nregion = eu-west-1\n`, k: `[default]\n${key('ELSEWHERE')}` },
    finds: 'ELSEWHERE',
  },
  {
    name: 'a file elsewhere by ~',
    variables: { AWS_SHARED_CREDENTIALS_FILE: '~/k' },
    files: { k: `[default]\n${key('ELSEWHERE')}` },
    finds: 'ELSEWHERE',
  },
  {
    name: 'a quoted name with a blank',
    config: `[profile "my app"]\n${key('QUOTED')}`,
    profile: 'my app',
    finds: 'QUOTED',
  },
  {
    name: 'Windows line ends',
    credentials: `[default]\n${key('FILE')}`.replaceAll('\n', '\r\n'),
    finds: 'FILE',
  },
  {
    name: 'comments, blank lines and blanks around',
    credentials: `# a comment\n\n  \n; another\n[default]\n\n${key('FILE')}# end`,
    finds: 'FILE',
  },
  {
    name: 'no blanks around =',
    credentials: `[default]\naws_access_key_id=FILE\naws_secret_access_key=secret-of-FILE\n`,
    finds: 'FILE',
  },
  {
    name: 'a comment behind a value',
    credentials: `[default]\naws_access_key_id = FILE # mine\naws_secret_access_key = secret-of-FILE ; x\n`,
    finds: 'FILE',
  },
  {
    name: 'a # within a secret',
    credentials: `[default]\naws_access_key_id = A#B\naws_secret_access_key = secret-of-A#B\n`,
    finds: 'A#B',
  },
  {
    name: 'an = within a secret',
    credentials: `[default]\naws_access_key_id = A=\naws_secret_access_key = secret-of-A=\n`,
    finds: 'A=',
  },
  {
    name: 'names in upper case',
    credentials: `[default]\nAWS_ACCESS_KEY_ID = FILE\nAWS_SECRET_ACCESS_KEY = secret-of-FILE\n`,
    finds: 'FILE',
  },
  {
    name: 'a section twice',
    credentials: `[default]\naws_access_key_id = FILE\n[other]\n[default]\naws_secret_access_key = secret-of-FILE\n`,
    finds: 'FILE',
  },
  {
    name: 'a setting twice',
    credentials: `[default]\naws_access_key_id = FIRST\n${key('LAST')}`,
    finds: 'LAST',
  },
  {
    name: 'settings of services, indented',
    config: `[default]\ns3 =\n  max_concurrent_requests = 20\n  aws_access_key_id = NESTED\n${key('CONFIG')}`,
    finds: 'CONFIG',
  },
  {
    name: 'an empty token in a file',
    credentials: `[default]\n${key('FILE')}aws_session_token =\n`,
    finds: 'FILE',
  },
  {
    name: 'a byte order mark',
    credentials: `\uFEFF[default]\n${key('FILE')}`,
    finds: 'FILE',
  },
  {
    name: 'an id without a secret in a profile',
    credentials: '[default]\naws_access_key_id = FILE\n',
    finds: 'error',
  },
  {
    name: 'a profile with a region alone, and a container',
    config: '[default]\nregion = eu-west-1\n',
    variables: container,
    finds: 'container:nobody',
  },
]

const base = `[profile base]\n${key('BASE')}`
const roles: readonly Configuration[] = [
  {
    name: 'a role',
    config: `[default]\nrole_arn = ${arn('reader')}\nsource_profile = base\n${base}`,
    finds: 'reader:by:BASE:at:eu-central-1',
  },
  {
    name: 'a role with everything',
    config: `[default]\nrole_arn = ${arn('reader')}\nsource_profile = base\nrole_session_name = me\nexternal_id = 42/x+y=z\nduration_seconds = 900\n${base}`,
    finds: 'reader:by:BASE:at:eu-central-1:as:me:ExternalId:42/x+y=z:for:900',
  },
  {
    name: 'a role of a key in the credentials file',
    config: `[profile app]\nrole_arn = ${arn('reader')}\nsource_profile = base\n`,
    credentials: `[base]\n${key('BASE')}aws_session_token = token-of-BASE\n`,
    profile: 'app',
    finds: 'reader:by:BASE:at:eu-central-1',
  },
  {
    name: 'a role of a role',
    config: `[default]\nrole_arn = ${arn('second')}\nsource_profile = first\n[profile first]\nrole_arn = ${arn('first')}\nsource_profile = base\n${base}`,
    finds: 'second:by:first:by:BASE:at:eu-central-1:at:eu-central-1',
  },
  {
    name: 'a role that names itself, with a key',
    config: `[profile app]\nrole_arn = ${arn('reader')}\nsource_profile = app\n${key('SELF')}`,
    profile: 'app',
    finds: 'reader:by:SELF:at:eu-central-1',
  },
  {
    name: 'a role that names itself, without a key',
    config: `[profile app]\nrole_arn = ${arn('reader')}\nsource_profile = app\n`,
    profile: 'app',
    finds: 'error',
  },
  {
    name: 'roles in a circle',
    config: `[profile a]\nrole_arn = ${arn('a')}\nsource_profile = b\n[profile b]\nrole_arn = ${arn('b')}\nsource_profile = a\n`,
    profile: 'a',
    finds: 'error',
  },
  {
    name: 'a source with a key and a role: its key counts',
    config: `[default]\nrole_arn = ${arn('reader')}\nsource_profile = both\n[profile both]\nrole_arn = ${arn('x')}\nsource_profile = base\n${key('BOTH')}${base}`,
    finds: 'reader:by:BOTH:at:eu-central-1',
  },
  {
    name: 'a role that STS refuses, on a machine with a role',
    config: `[default]\nrole_arn = ${arn('denied')}\nsource_profile = base\n${base}`,
    variables: machine,
    finds: 'error',
  },
  {
    name: 'a role whose source is not there',
    config: `[default]\nrole_arn = ${arn('reader')}\nsource_profile = typo\n`,
    finds: 'error',
  },
  {
    name: 'a role with neither source',
    config: `[default]\nrole_arn = ${arn('reader')}\n${key('CONFIG')}`,
    finds: 'error',
  },
  {
    name: 'a role with both sources',
    config: `[default]\nrole_arn = ${arn('reader')}\nsource_profile = base\ncredential_source = Environment\n${base}`,
    finds: 'error',
  },
  {
    name: 'a role of the environment',
    config: `[profile app]\nrole_arn = ${arn('reader')}\ncredential_source = Environment\n`,
    variables: environment,
    profile: 'app',
    finds: 'reader:by:ENV:at:eu-central-1',
  },
  {
    name: 'a role of the machine',
    config: `[default]\nrole_arn = ${arn('reader')}\ncredential_source = Ec2InstanceMetadata\n`,
    variables: machine,
    finds: 'reader:by:machine:at:eu-central-1',
  },
  {
    name: 'a role of the container',
    config: `[default]\nrole_arn = ${arn('reader')}\ncredential_source = EcsContainer\n`,
    variables: container,
    finds: 'reader:by:container:nobody:at:eu-central-1',
  },
  {
    name: 'a role of an unknown source',
    config: `[default]\nrole_arn = ${arn('reader')}\ncredential_source = Moon\n`,
    finds: 'error',
  },
  {
    name: 'a role of a source that names a source alone',
    config: `[profile app]\nrole_arn = ${arn('reader')}\nsource_profile = env\n[profile env]\ncredential_source = Environment\n`,
    variables: environment,
    profile: 'app',
    finds: 'reader:by:ENV:at:eu-central-1',
  },
  {
    name: 'a role of a command',
    config: `[default]\nrole_arn = ${arn('reader')}\nsource_profile = tool\n[profile tool]\ncredential_process = ${printing('TOOL')}\n`,
    finds: 'reader:by:TOOL:at:eu-central-1',
  },
  {
    name: 'a role of single sign-on',
    config: `[default]\nrole_arn = ${arn('reader')}\nsource_profile = sso\n[profile sso]\nsso_start_url = https://x.awsapps.com/start\nsso_region = eu-west-1\nsso_account_id = 1\nsso_role_name = dev\n`,
    files: { '.aws/sso/cache/{sha1:https://x.awsapps.com/start}.json': '{valid}' },
    finds: 'reader:by:dev:1:valid:at:eu-central-1',
  },
  {
    name: 'a role with a device for codes',
    config: `[default]\nrole_arn = ${arn('reader')}\nsource_profile = base\nmfa_serial = arn:aws:iam::0:mfa/me\n${base}`,
    finds: 'error',
  },
  {
    name: 'a region in the profile of the role',
    config: `[default]\nrole_arn = ${arn('reader')}\nsource_profile = base\nregion = eu-west-3\n${base}`,
    variables: { AWS_REGION: '{none}', AWS_DEFAULT_REGION: '{none}' },
    finds: 'reader:by:BASE:at:eu-west-3',
  },
  {
    name: 'a region in the profile of the role, and another in the environment',
    config: `[default]\nrole_arn = ${arn('reader')}\nsource_profile = base\nregion = eu-west-3\n${base}`,
    finds: 'reader:by:BASE:at:eu-central-1',
  },
  {
    name: 'a role without any region',
    config: `[default]\nrole_arn = ${arn('reader')}\nsource_profile = base\n${base}`,
    variables: { AWS_REGION: '{none}', AWS_DEFAULT_REGION: '{none}' },
    finds: 'reader:by:BASE:at:us-east-1',
  },
]

const identities: readonly Configuration[] = [
  { name: 'a web identity', variables: webIdentity, files: token, finds: 'pod:with:a-token' },
  {
    name: 'a web identity with a name',
    variables: { ...webIdentity, AWS_ROLE_SESSION_NAME: 'me' },
    files: token,
    finds: 'pod:with:a-token:as:me',
  },
  {
    name: 'a web identity without a role',
    variables: { AWS_WEB_IDENTITY_TOKEN_FILE: '{home}/token' },
    files: token,
    finds: 'error',
  },
  {
    name: 'a web identity whose file is not there',
    variables: webIdentity,
    finds: 'error',
  },
  {
    name: 'a web identity whose file ends a line',
    variables: webIdentity,
    files: { token: 'a-token\n' },
    finds: 'pod:with:a-token',
  },
  {
    name: 'a web identity that STS refuses, on a machine with a role',
    variables: { ...webIdentity, ...machine, AWS_ROLE_ARN: arn('denied') },
    files: token,
    finds: 'error',
  },
  {
    name: 'a web identity and a default profile',
    variables: webIdentity,
    files: token,
    credentials: `[default]\n${key('FILE')}`,
    finds: 'FILE',
  },
  {
    name: 'a web identity before a container',
    variables: { ...webIdentity, ...container },
    files: token,
    finds: 'pod:with:a-token',
  },
  {
    name: 'a web identity in a profile',
    config: `[default]\nrole_arn = ${arn('ci')}\nweb_identity_token_file = {home}/token\nrole_session_name = build\n`,
    files: token,
    finds: 'ci:with:a-token:as:build',
  },
  {
    name: 'a role of a web identity in a profile',
    config: `[default]\nrole_arn = ${arn('deploy')}\nsource_profile = ci\n[profile ci]\nrole_arn = ${arn('ci')}\nweb_identity_token_file = {home}/token\nrole_session_name = build\n`,
    files: token,
    finds: 'deploy:by:ci:with:a-token:as:build:at:eu-central-1',
  },
]

const commands: readonly Configuration[] = [
  {
    name: 'a command',
    config: `[default]\ncredential_process = ${printing('TOOL')}\n`,
    finds: 'TOOL',
  },
  {
    name: 'a command with a token and an end',
    config: `[default]\ncredential_process = ${printing('TOOL', ',"SessionToken":"token-of-TOOL","Expiration":"2099-01-01T00:00:00Z"')}\n`,
    finds: 'TOOL',
  },
  {
    name: 'a command whose key has ended',
    config: `[default]\ncredential_process = ${printing('TOOL', ',"Expiration":"2020-01-01T00:00:00Z"')}\n`,
    finds: 'error',
  },
  {
    name: 'a command in the credentials file',
    credentials: `[default]\ncredential_process = ${printing('TOOL')}\n`,
    finds: 'TOOL',
  },
  {
    name: 'a command with a path in quotes',
    config: `[default]\ncredential_process = "{home}/my tool" "two words"\n`,
    files: { 'my tool': `#!/bin/sh\n[ "$1" = "two words" ] && ${printing('QUOTED')}\n` },
    finds: 'QUOTED',
  },
  {
    name: 'a command that fails, on a machine with a role',
    config: '[default]\ncredential_process = false\n',
    variables: machine,
    finds: 'error',
  },
  {
    name: 'a command that prints rubbish',
    config: '[default]\ncredential_process = echo rubbish\n',
    finds: 'error',
  },
  {
    name: 'a command of version 2',
    config: `[default]\ncredential_process = ${printing('TOOL').replace(':1', ':2')}\n`,
    finds: 'error',
  },
  {
    name: 'a command beside a key: the key counts',
    config: `[default]\ncredential_process = ${printing('TOOL')}\n${key('CONFIG')}`,
    finds: 'CONFIG',
  },
  {
    name: 'a command in the config file, a key in the credentials file',
    config: `[default]\ncredential_process = ${printing('TOOL')}\n`,
    credentials: `[default]\n${key('FILE')}`,
    finds: 'FILE',
  },
]

const legacy = `[default]\nsso_start_url = https://x.awsapps.com/start\nsso_region = eu-west-1\nsso_account_id = 1\nsso_role_name = dev\n`
const legacyFile = '.aws/sso/cache/{sha1:https://x.awsapps.com/start}.json'
const session = `[default]\nsso_session = my-sso\nsso_account_id = 1\nsso_role_name = dev\n[sso-session my-sso]\nsso_start_url = https://x.awsapps.com/start\nsso_region = eu-west-1\nsso_registration_scopes = sso:account:access\n`
const sessionFile = '.aws/sso/cache/{sha1:my-sso}.json'
const signOn: readonly Configuration[] = [
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
const logins: readonly Configuration[] = [
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

const places: readonly Configuration[] = [
  { name: 'a container', variables: container, finds: 'container:nobody' },
  {
    name: 'a container with a query',
    variables: { AWS_CONTAINER_CREDENTIALS_FULL_URI: '{origin}/container?id=1' },
    finds: 'container:nobody:id=1',
  },
  {
    name: 'a container with a token',
    variables: { ...container, AWS_CONTAINER_AUTHORIZATION_TOKEN: 'Basic-abc' },
    finds: 'container:Basic-abc',
  },
  {
    name: 'pod identity: a token in a file',
    variables: { ...container, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: '{home}/token' },
    files: token,
    finds: 'container:a-token',
  },
  {
    name: 'pod identity: the file counts before the token',
    variables: {
      ...container,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: 'other',
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: '{home}/token',
    },
    files: token,
    finds: 'container:a-token',
  },
  {
    name: 'pod identity: a file that is not there',
    variables: { ...container, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: '{home}/token' },
    finds: 'error',
  },
  {
    name: 'a container that refuses, on a machine with a role',
    variables: { ...machine, AWS_CONTAINER_CREDENTIALS_FULL_URI: '{origin}/container-denied' },
    finds: 'error',
  },
  {
    name: 'a container that responds with nothing',
    variables: { AWS_CONTAINER_CREDENTIALS_FULL_URI: '{origin}/container-empty' },
    finds: 'error',
  },
  {
    name: 'a container elsewhere by http',
    variables: { AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://metadata.invalid/container' },
    finds: 'error',
  },
  {
    name: 'a container before the machine',
    variables: { ...container, ...machine },
    finds: 'container:nobody',
  },
  { name: 'a machine', variables: machine, finds: 'machine' },
  {
    name: 'a machine by the config file',
    config: '[default]\nec2_metadata_service_endpoint = {imds}\n',
    variables: { AWS_EC2_METADATA_DISABLED: 'false' },
    finds: 'machine',
  },
  {
    name: 'a machine that must not be asked',
    variables: { ...machine, AWS_EC2_METADATA_DISABLED: 'TRUE' },
    finds: 'error',
  },
  {
    name: 'a machine with version 1 alone',
    variables: { ...machine, AWS_EC2_METADATA_SERVICE_ENDPOINT: '{imds-v1}' },
    finds: 'error',
  },
  {
    name: 'a machine whose service is turned off',
    variables: { ...machine, AWS_EC2_METADATA_SERVICE_ENDPOINT: '{imds-off}' },
    finds: 'error',
  },
  {
    name: 'a machine without a role',
    variables: { ...machine, AWS_EC2_METADATA_SERVICE_ENDPOINT: '{imds-norole}' },
    finds: 'error',
  },
  {
    name: 'a machine whose role is not trusted',
    variables: { ...machine, AWS_EC2_METADATA_SERVICE_ENDPOINT: '{imds-failed}' },
    finds: 'error',
  },
]

/** All of them. */
export const configurations: readonly Configuration[] = [
  ...fixed,
  ...roles,
  ...identities,
  ...commands,
  ...signOn,
  ...logins,
  ...places,
]
