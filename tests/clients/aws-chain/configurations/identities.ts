import {
  type Configuration,
  arn,
  key,
  webIdentity,
  container,
  machine,
  token,
  printing,
} from './configuration.ts'

export const identities: readonly Configuration[] = [
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

export const commands: readonly Configuration[] = [
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
