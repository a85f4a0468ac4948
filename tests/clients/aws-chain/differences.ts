/**
 * Configurations in which another program finds another key than `awsCredentials`, or none, each with the reason:
 * `@aws-sdk/credential-providers` as it is pinned, and botocore 1.29. All others agree.
 */
export const differences: Readonly<Record<'sdk' | 'botocore', Readonly<Record<string, string>>>> = {
  sdk: {
    'the environment with a key that has ended': 'It hands out the key, which services refuse.',
    'an id without a secret in the environment, and a profile':
      'It goes on to the profile, whose key may be of another account.',
    'the environment and AWS_PROFILE':
      'It takes the profile and warns that this will change: the order of AWS has the environment first.',
    'an AWS_PROFILE that is not there, on a machine with a role':
      'It goes on to the role of the machine, which nobody asked for.',
    'a command that fails, on a machine with a role':
      'It goes on to the role of the machine, which nobody asked for.',
    'a machine with version 1 alone':
      'It falls back to version 1, which any request forged on the machine can read.',
    'a quoted name with a blank': 'It skips sections whose names have a blank.',
    'names in upper case': 'It knows settings in lower case alone.',
    'a role with neither source':
      'It takes the key beside the role, which is not the role that was asked for.',
    'a region in the profile of the role, and another in the environment':
      'It asks the STS of the region in the profile: the order of AWS has the environment first.',
    'a web identity whose file ends a line': 'It sends the end of the line as a part of the token.',
    'single sign-on whose region contradicts its session': 'It overlooks the contradiction.',
  },
  botocore: {
    'an empty AWS_PROFILE': 'It looks for a profile without a name.',
    'a comment behind a value': 'It takes the comment for a part of the value.',
    'a section twice': 'Its parser rejects the file.',
    'a setting twice': 'Its parser rejects the file.',
    'a byte order mark': 'Its parser rejects the file.',
    'a role of a source that names a source alone': 'It does not know this form.',
    'a web identity whose file ends a line': 'It sends the end of the line as a part of the token.',
    'a role without any region': 'It needs a region.',
    'a web identity and a default profile':
      'It has the web identity before the profile; the SDK for JavaScript has the profile first.',
    'a command beside a key: the key counts':
      'It asks the command before it reads a key of the config file.',
    'single sign-on beside a key: the key counts':
      'It has single sign-on before keys; the SDK for JavaScript has the key first.',
    'a login': 'This version does not know it.',
    'a login that is renewed': 'This version does not know it.',
    'pod identity: a token in a file': 'This version does not know the file.',
    'pod identity: the file counts before the token': 'This version does not know the file.',
    'pod identity: a file that is not there': 'This version does not know the file.',
    'a machine with version 1 alone':
      'It falls back to version 1, which any request forged on the machine can read.',
  },
}
