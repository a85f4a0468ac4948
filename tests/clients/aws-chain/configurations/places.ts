import { type Configuration, container, machine, token } from './configuration.ts'

export const places: readonly Configuration[] = [
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
