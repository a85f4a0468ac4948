/** The access key that the emulator publishes; nothing in it is secret. */
export const apiKey = {
  accessKeyId: 'EMULATORCLIENTKEY',
  secretAccessKey: 'not-a-secret-emulator-key',
}

export const region = 'us-east-1'
