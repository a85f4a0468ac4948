/** Reads the service's address and secrets, which are in the environment only at run time. */
export function readAccount() {
  const { SERVICE_URL = '', SERVICE_PASSWORD = '', SERVICE_SECRET_KEY = '' } = process.env
  return {
    baseUrl: SERVICE_URL,
    region: 'us-east-1',
    user: { username: 'primary@example.com', password: SERVICE_PASSWORD },
    apiKey: { accessKeyId: 'EMULATORCLIENTKEY', secretAccessKey: SERVICE_SECRET_KEY },
  }
}
