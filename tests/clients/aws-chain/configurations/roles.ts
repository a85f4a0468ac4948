import {
  type Configuration,
  arn,
  key,
  environment,
  container,
  machine,
  printing,
} from './configuration.ts'

const base = `[profile base]\n${key('BASE')}`
export const roles: readonly Configuration[] = [
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
