/** The flag that names a profile of AWS's own files. */
export const awsOption = {
  flags: '--aws-profile <name>',
  description: "the profile of AWS's own files whose key signs",
  default: '$AWS_PROFILE, for a host of AWS, if no key is configured',
}
