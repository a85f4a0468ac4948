import { authFetch, authKy, authorizeRequest, kyAuthHooks } from '@svc/auth-hooks'
import { authAxios } from '@svc/auth-hooks/axios'
import { authGot } from '@svc/auth-hooks/got'
import { authOpenApi } from '@svc/auth-hooks/openapi-fetch'
import { authInterceptor } from '@svc/auth-hooks/undici'
import { createSigV4Auth } from '@svc/auth-sigv4'
import { diagnose } from '@svc/auth-sigv4/diagnose'
import { explain } from '@svc/auth-sigv4/explain'
import { nativeEngine } from '@svc/auth-sigv4/native'
import { presign } from '@svc/auth-sigv4/presign'
import { streaming } from '@svc/auth-sigv4/streaming'
import { createTokenAuth } from '@svc/auth-token'
import { fileTokenStore } from '@svc/auth-token/file-store'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { redisTokenStore } from '@svc/auth-token/redis-store'
import { sharedTokenStore } from '@svc/auth-token/sharing'
import { createEmulator, verifySigV4 } from '@svc/emulator'
import { createRouteAuthSelector, createServiceRoutes } from '@svc/route-auth-selector'
import { createServiceAuth } from '@svc/service-auth'
import axios from 'axios'
import got from 'got'
import ky from 'ky'

/** A call that a newcomer gets wrong, with the words of its message: what is wrong, and what to do. */
export interface WrongCall {
  readonly call: string
  readonly run: () => unknown
  readonly words: readonly string[]
}

type Run = (...given: unknown[]) => unknown

/** Takes what the compiler would reject, as a program without types gives it. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
const untyped = (run: unknown): Run => run as Run

const tokenAuth = untyped(createTokenAuth)
const sigV4Auth = untyped(createSigV4Auth)
const [fetchOf, kyOf, kyHooksOf] = [authFetch, authKy, kyAuthHooks].map(untyped) as [Run, Run, Run]
const [axiosOf, gotOf] = [authAxios, authGot].map(untyped) as [Run, Run]
const [openApiOf, undiciOf] = [authOpenApi, authInterceptor].map(untyped) as [Run, Run]
const [presigned, explained, diagnosed] = [presign, explain, diagnose].map(untyped) as [
  Run,
  Run,
  Run,
]
const authorized = untyped(authorizeRequest)
const streamed = untyped(streaming)
const [fileStore, memoryStore, redisStore, sharedStore] = [
  fileTokenStore,
  memoryTokenStore,
  redisTokenStore,
  sharedTokenStore,
].map(untyped) as [Run, Run, Run, Run]
const selector = untyped(createRouteAuthSelector)
const serviceRoutes = untyped(createServiceRoutes)
const emulatorOf = untyped(createEmulator)
const serviceAuth = untyped(createServiceAuth)

export const baseUrl = 'https://search.example.com'
export const user = { username: 'reader@example.com', password: 'hidden-password' }
export const apiKey = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'hidden-secret' }
export const token = createTokenAuth({ baseUrl, credentials: user })
export const sigv4 = createSigV4Auth({ baseUrl, region: 'us-east-1', credentials: apiKey })
const ofToken = { baseUrl, credentials: user }
const ofSigV4 = { baseUrl, region: 'us-east-1', credentials: apiKey }
const ofSelector = { origins: [baseUrl], routes: [], otherwise: sigv4 }
const ofRoutes = { baseUrl, token, sigv4 }
const ofService = { baseUrl, region: 'us-east-1', user, apiKey }
const file = `${baseUrl}/V1/report.csv`
const redisClient = { EVAL: async () => '' }

function wrong(call: string, run: () => unknown, ...words: string[]): WrongCall {
  return { call, run, words }
}

/** Asks of one option of a function, all else being right. */
function withOption(of: Run, caller: string, right: object) {
  return (change: Record<string, unknown>, ...words: string[]): WrongCall =>
    wrong(`${caller} ${shown(change)}`, () => of({ ...right, ...change }), caller, ...words)
}

function shown(change: Record<string, unknown>): string {
  return JSON.stringify(change, (_name, value: unknown) =>
    typeof value === 'function' || value === undefined ? typeof value : value,
  )
}

const ofCreateTokenAuth = withOption(tokenAuth, 'createTokenAuth', ofToken)
const ofCreateSigV4Auth = withOption(sigV4Auth, 'createSigV4Auth', ofSigV4)
const ofAuthFetch = withOption((given) => fetchOf(token, given), 'authFetch', {})
const ofPresign = withOption((given) => presigned(sigv4, file, given), 'presign', {})
const ofCreateRouteAuthSelector = withOption(selector, 'createRouteAuthSelector', ofSelector)
const ofCreateServiceRoutes = withOption(serviceRoutes, 'createServiceRoutes', ofRoutes)
const ofCreateServiceAuth = withOption(serviceAuth, 'createServiceAuth', ofService)
const ofCreateEmulator = withOption(emulatorOf, 'createEmulator', {})
const ofRoute = (route: object, ...words: string[]): WrongCall =>
  ofCreateRouteAuthSelector({ routes: [route] }, 'routes[0]', ...words)

const tokens = [
  wrong('createTokenAuth()', () => tokenAuth(), 'options must be an object with', 'baseUrl'),
  wrong('createTokenAuth(url)', () => tokenAuth(baseUrl), 'options must be an object', 'baseUrl'),
  wrong('createTokenAuth(new URL)', () => tokenAuth(new URL(baseUrl)), 'must be an object with'),
  wrong('createTokenAuth({})', () => tokenAuth({}), 'baseUrl must be an absolute URL such as'),
  ofCreateTokenAuth({ baseURL: baseUrl }, 'baseURL is not an option; did you mean baseUrl?'),
  ofCreateTokenAuth({ endpoint: baseUrl }, 'endpoint is not an option; did you mean baseUrl?'),
  ofCreateTokenAuth({ url: baseUrl }, 'url is not an option; did you mean baseUrl?'),
  ofCreateTokenAuth({ host: baseUrl }, 'host is not an option; did you mean baseUrl?'),
  ofCreateTokenAuth({ prefixUrl: baseUrl }, 'prefixUrl is not an option; did you mean baseUrl?'),
  ofCreateTokenAuth({ baseUrl: 'search.example.com' }, 'baseUrl must be', 'such as https://'),
  ofCreateTokenAuth({ baseUrl: 'http://search.example.com' }, 'must be https', 'allowInsecureHttp'),
  ofCreateTokenAuth({ baseUrl: `${baseUrl}?tenant=1` }, 'baseUrl must not have a query'),
  ofCreateTokenAuth({ credentials: undefined }, 'credentials must be', 'username and password'),
  ofCreateTokenAuth({ username: 'reader' }, 'username is not an option; did you mean credentials?'),
  ofCreateTokenAuth({ password: 'x' }, 'password is not an option; did you mean credentials?'),
  ofCreateTokenAuth({ user }, 'user is not an option; did you mean credentials?'),
  ofCreateTokenAuth(
    { credentails: user },
    'credentails is not an option; the options are baseUrl, credentials,',
  ),
  ofCreateTokenAuth(
    { credentials: { Username: 'reader', Password: 'x' } },
    'credentials.Username is not known; did you mean username?',
  ),
  ofCreateTokenAuth(
    { credentials: { userName: 'reader', password: 'x' } },
    'credentials.userName is not known; did you mean username?',
  ),
  ofCreateTokenAuth(
    { credentials: { user: 'reader', password: 'x' } },
    'credentials.user is not known; did you mean username?',
  ),
  ofCreateTokenAuth(
    { credentials: { username: 'reader', passwrod: 'x' } },
    'credentials.password must be',
  ),
  ofCreateTokenAuth(
    { credentials: { ...user, ParentUid: 'tenant' } },
    'credentials.ParentUid is not known; did you mean parentUid?',
  ),
  ofCreateTokenAuth(
    { credentials: { ...user, parentUID: 'tenant' } },
    'credentials.parentUID is not known; did you mean parentUid?',
  ),
  ofCreateTokenAuth(
    { credentials: { ...user, password: undefined } },
    'credentials.password must be a non-empty string',
  ),
  ofCreateTokenAuth({ credentials: 'reader:x' }, 'credentials must be', 'username and password'),
  wrong(
    'createTokenAuth with a promise of credentials',
    () => tokenAuth({ baseUrl, credentials: Promise.resolve(user) }),
    'createTokenAuth: credentials must be',
    'a function',
  ),
  ofCreateTokenAuth({ timeout: 5000 }, 'timeout is not an option; did you mean loginTimeoutMs?'),
  ofCreateTokenAuth({ loginTimeout: 5 }, 'loginTimeout is not', 'did you mean loginTimeoutMs?'),
  ofCreateTokenAuth({ renewBefore: 5 }, 'renewBefore is not', 'did you mean renewBeforeMs?'),
  ofCreateTokenAuth({ loginTimeoutMs: '5000' }, 'loginTimeoutMs must be a positive number'),
  ofCreateTokenAuth({ store: {} }, 'store must be', 'sharedTokenStore'),
  ofCreateTokenAuth({ store: memoryTokenStore }, 'store must be', 'memoryTokenStore()'),
  ofCreateTokenAuth({ origins: baseUrl }, 'origins must be an array of origins'),
  ofCreateTokenAuth({ origins: ['a.example.com'] }, 'origins[0] must be', 'such as https://'),
  ofCreateTokenAuth({ rejectedStatuses: 401 }, 'rejectedStatuses must be an array'),
  ofCreateTokenAuth({ onEvents: () => {} }, 'onEvents is not an option; did you mean onEvent?'),
  ofCreateTokenAuth({ session: 'private' }, "session must be 'shared' or 'own'"),
  ofCreateTokenAuth({ idle: 60_000 }, 'idle is not an option; did you mean idleMs?'),
  ofCreateTokenAuth({ colour: 'blue' }, 'colour is not an option; the options are baseUrl,'),
  wrong(
    'getToken(signal)',
    () => token.getToken(AbortSignal.timeout(1000) as never),
    'getToken: options must be an object with any of signal',
  ),
  wrong(
    'getToken({ abortSignal })',
    () => token.getToken({ abortSignal: AbortSignal.timeout(1000) } as never),
    'getToken: abortSignal is not an option; did you mean signal?',
  ),
  wrong(
    'getToken({ timeout })',
    () => token.getToken({ timeout: 1000 } as never),
    'getToken: timeout is not an option; the options are signal',
  ),
]

const stores = [
  wrong(
    'fileTokenStore(path)',
    () => fileStore('/tmp/x'),
    'fileTokenStore: options must be',
    'path',
  ),
  wrong('fileTokenStore({ dir })', () => fileStore({ dir: '/tmp/x' }), 'did you mean path?'),
  wrong('redisTokenStore(options)', () => redisStore({ url: 'x' }), 'client must be', 'ioredis'),
  wrong(
    'redisTokenStore with keyPrefix',
    () => redisStore(redisClient, { keyPrefix: 'x' }),
    'redisTokenStore: keyPrefix is not an option; did you mean prefix?',
  ),
  wrong(
    'redisTokenStore with a text',
    () => redisStore(redisClient, 'x'),
    'object with any of prefix',
  ),
  wrong(
    'memoryTokenStore({ clock })',
    () => memoryStore({ clock: Date.now }),
    'clock must be a function',
  ),
  wrong(
    'sharedTokenStore(map)',
    () => sharedStore(new Map()),
    'sharedTokenStore: store',
    'compareAndSwap',
  ),
]

const signatures = [
  wrong('createSigV4Auth()', () => sigV4Auth(), 'options must be an object with', 'region'),
  ofCreateSigV4Auth({ endpoint: baseUrl }, 'endpoint is not an option; did you mean baseUrl?'),
  ofCreateSigV4Auth({ host: baseUrl }, 'host is not an option; did you mean baseUrl?'),
  ofCreateSigV4Auth({ region: undefined }, 'region must be a name such as us-east-1'),
  ofCreateSigV4Auth({ region: 'US East' }, 'region must be a name such as us-east-1'),
  ofCreateSigV4Auth({ Region: 'us-east-1' }, 'Region is not an option; did you mean region?'),
  ofCreateSigV4Auth({ accessKeyId: 'AKID' }, 'accessKeyId is not', 'did you mean credentials?'),
  ofCreateSigV4Auth({ secretKey: 'x' }, 'secretKey is not an option; did you mean credentials?'),
  ofCreateSigV4Auth({ apiKey }, 'apiKey is not an option; did you mean credentials?'),
  ofCreateSigV4Auth({ credentials: undefined }, 'credentials must be', 'accessKeyId'),
  ofCreateSigV4Auth(
    { credentials: { accessKey: 'AKID', secretKey: 'x' } },
    'credentials.accessKey is not known; did you mean accessKeyId?',
  ),
  ofCreateSigV4Auth(
    { credentials: { accessKeyId: 'AKID', secretKey: 'x' } },
    'credentials.secretKey is not known; did you mean secretAccessKey?',
  ),
  ofCreateSigV4Auth(
    { credentials: { AccessKeyId: 'AKID', SecretAccessKey: 'x' } },
    'credentials.AccessKeyId is not known; did you mean accessKeyId?',
  ),
  ofCreateSigV4Auth(
    { credentials: { accessKeyID: 'AKID', secretAccessKey: 'x' } },
    'credentials.accessKeyID is not known; did you mean accessKeyId?',
  ),
  ofCreateSigV4Auth(
    { credentials: { ...apiKey, SessionToken: 'x' } },
    'credentials.SessionToken is not known; did you mean sessionToken?',
  ),
  ofCreateSigV4Auth(
    { credentials: { ...apiKey, secretAccessKey: 'a b' } },
    'credentials.secretAccessKey must be',
    'without spaces',
  ),
  ofCreateSigV4Auth({ signQuery: true }, 'signQuery is not an option', 'presign'),
  ofCreateSigV4Auth({ expiresIn: 60 }, 'expiresIn is not an option', 'presign'),
  ofCreateSigV4Auth({ signedHeaders: [] }, 'signedHeaders is not', 'did you mean signHeaders?'),
  ofCreateSigV4Auth({ forcePathStyle: true }, 'forcePathStyle is not an option', 'baseUrl,'),
  ofCreateSigV4Auth(
    { payload: 'UNSIGNED-PAYLOAD' },
    "payload must be 'auto', 'signed', 'unsigned'",
  ),
  ofCreateSigV4Auth({ payload: streaming }, 'payload must be', 'the result of streaming()'),
  ofCreateSigV4Auth({ engine: nativeEngine }, 'engine must be a SigningEngine'),
  ofCreateSigV4Auth({ engine: 'native' }, 'engine must be a SigningEngine'),
  ofCreateSigV4Auth({ service: '' }, 'service must be a name such as s3'),
  wrong('streaming(size)', () => streamed(65_536), 'streaming: options must be', 'chunkBytes'),
  wrong(
    'streaming({ chunkSize })',
    () => streamed({ chunkSize: 65_536 }),
    'did you mean chunkBytes?',
  ),
  wrong('streaming({ chunkBytes: 1 })', () => streamed({ chunkBytes: 1 }), 'at least 8192'),
  wrong('streaming({ trailer })', () => streamed({ trailer: 'crc32' }), "trailer must be 'crc32c'"),
  ofPresign({ expiresIn: 60 }, 'expiresIn is not an option; did you mean expiresInSeconds?'),
  ofPresign({ expires: 60 }, 'expires is not an option; did you mean expiresInSeconds?'),
  ofPresign({ expiresInSeconds: '60' }, 'expiresInSeconds must be a whole number from 1'),
  ofPresign({ expiresInSeconds: 691_200 }, 'expiresInSeconds must be', '7 days'),
  ofPresign({ Method: 'PUT' }, 'Method is not an option; did you mean method?'),
  wrong(
    'presign(auth, url, 60)',
    () => presigned(sigv4, file, 60),
    'with any of',
    'expiresInSeconds',
  ),
  wrong(
    'presign without a host',
    () => presigned(sigv4, 'https:'),
    'url must be an absolute URL',
    'new URL(',
  ),
  wrong(
    'presign(url, auth)',
    () => presigned(file, sigv4),
    'auth must be what createSigV4Auth returns',
  ),
  wrong('presign(token, url)', () => presigned(token, file), 'not the scheme "token"'),
  wrong(
    'explain(token, url)',
    () => explained(token, file),
    'explain: auth must be what createSigV4Auth',
  ),
  wrong(
    'explain with a date',
    () => explained(sigv4, file, {}, { date: new Date() }),
    'explain: date is not an option; did you mean at?',
  ),
  wrong(
    'diagnose(response, auth)',
    () => diagnosed(new Response(), sigv4, file),
    'diagnose: auth must be what createSigV4Auth returns',
  ),
  wrong(
    'diagnose without a host',
    () => diagnosed(sigv4, new Response('', { status: 403 }), 'https://'),
    'diagnose: input must be an absolute URL',
    'new URL(',
  ),
]

const hooks = [
  wrong('authFetch()', () => fetchOf(), 'authFetch: scheme must be an AuthScheme'),
  wrong('authFetch(options)', () => fetchOf({ baseUrl }, token), 'scheme must be an AuthScheme'),
  wrong(
    'authFetch(createTokenAuth)',
    () => fetchOf(createTokenAuth),
    'scheme must be an AuthScheme',
  ),
  wrong('authFetch(auth, fetch)', () => fetchOf(token, fetch), 'must be an object with', 'fetch'),
  wrong('authFetch(auth, url)', () => fetchOf(token, baseUrl), 'must be an object with', 'baseUrl'),
  wrong(
    'authFetch(auth, URL)',
    () => fetchOf(token, new URL(baseUrl)),
    'must be an object',
    'baseUrl',
  ),
  wrong('authFetch(auth, null)', () => fetchOf(token, null), 'options must be an object'),
  ofAuthFetch({ baseURL: baseUrl }, 'baseURL is not an option; did you mean baseUrl?'),
  ofAuthFetch({ prefixUrl: baseUrl }, 'prefixUrl is not an option; did you mean baseUrl?'),
  ofAuthFetch({ prefix: baseUrl }, 'prefix is not an option; did you mean baseUrl?'),
  ofAuthFetch({ baseUrl: '/api' }, 'baseUrl must be an absolute URL such as'),
  ofAuthFetch({ redirect: 'manual' }, "redirect must be 'covered' or 'follow'"),
  ofAuthFetch({ maxRedirect: 3 }, 'maxRedirect is not an option; did you mean maxRedirects?'),
  ofAuthFetch({ sensitiveHeaders: 'x-my-key' }, 'sensitiveHeaders must be an array'),
  ofAuthFetch({ headers: {} }, 'headers is not an option; the options are redirect,'),
  ofAuthFetch({ fetch: {} }, 'fetch must be a function'),
  wrong(
    'authKy(auth, { prefix })',
    () => kyOf(token, { prefix: 'x' }),
    'prefix is not',
    'ky.create',
  ),
  wrong('authKy(auth, { baseUrl })', () => kyOf(token, { baseUrl }), 'baseUrl is not', 'ky.create'),
  wrong('authKy(auth, ky)', () => kyOf(token, ky), 'authKy: options must be an object with'),
  wrong(
    'kyAuthHooks(auth, { retry })',
    () => kyHooksOf(token, { retry: 2 }),
    'retry is not',
    'ky.create',
  ),
  wrong(
    'authAxios(auth, { baseURL })',
    () => axiosOf(token, { baseURL: baseUrl }),
    'baseURL is not',
    'axios.create',
  ),
  wrong(
    'authAxios(auth, { timeout })',
    () => axiosOf(token, { timeout: 1 }),
    'timeout is not',
    'axios.create',
  ),
  wrong(
    'authAxios(auth, instance)',
    () => axiosOf(token, axios.create()),
    'options must be',
    'axios',
  ),
  wrong('authAxios(axios, auth)', () => axiosOf(axios, token), 'scheme must be an AuthScheme'),
  wrong(
    'authAxios with an instance',
    () => axiosOf(token, { axios: axios.create() }),
    'the library itself',
  ),
  wrong(
    'authAxios with xhr',
    () => axiosOf(token, { adapter: 'xhr' }),
    "adapter must be 'http', 'fetch'",
  ),
  wrong(
    'authGot(auth, { prefixUrl })',
    () => gotOf(token, { prefixUrl: baseUrl }),
    'prefixUrl is not',
    'got.extend',
  ),
  wrong('authGot(got, auth)', () => gotOf(got, token), 'authGot: scheme must be an AuthScheme'),
  wrong(
    'authInterceptor with redirect',
    () => undiciOf(token, { redirect: 'follow' }),
    'redirect is not',
    'follows no redirects',
  ),
  wrong(
    'authOpenApi with baseUrl',
    () => openApiOf(token, { baseUrl }),
    'baseUrl is not',
    'createClient',
  ),
  wrong(
    'authorizeRequest(url, auth)',
    () => authorized(file, token),
    'authorizeRequest: scheme must be',
  ),
  wrong(
    'a scheme whose method is misspelt',
    () => fetchOf({ name: 'own', covers: () => true, authorise: () => undefined }),
    'scheme must be an AuthScheme with name, covers and authorize',
  ),
  wrong(
    'a scheme whose option is misspelt',
    () => fetchOf({ ...token, sensitiveHeaders: undefined, sensitiveheaders: ['x-my-key'] }),
    'scheme.sensitiveheaders is not known; did you mean sensitiveHeaders?',
  ),
]

const routes = [
  ofCreateRouteAuthSelector({ origins: baseUrl }, 'origins must be an array of origins'),
  ofCreateRouteAuthSelector({ baseUrl }, 'baseUrl is not an option; did you mean origins?'),
  ofCreateRouteAuthSelector({ origin: baseUrl }, 'origin is not an option; did you mean origins?'),
  ofCreateRouteAuthSelector({ default: sigv4 }, 'default is not', 'did you mean otherwise?'),
  ofCreateRouteAuthSelector({ otherwise: undefined }, 'otherwise must be an AuthScheme'),
  ofCreateRouteAuthSelector({ routes: { '/user': token } }, 'routes must be an array of routes'),
  ofCreateRouteAuthSelector({ basePath: 'api' }, 'basePath must be a path that begins with /'),
  ofRoute({ path: '/user' }, 'use must be an AuthScheme'),
  ofRoute({ path: 'user', use: token }, 'path must be a path that begins with /'),
  ofRoute({ url: '/user', use: token }, 'url is not an option; did you mean path?'),
  ofRoute({ path: '/user', scheme: token }, 'scheme is not an option; did you mean use?'),
  ofRoute({ path: '/a', prefix: '/b', use: token }, 'one of path, prefix and template'),
  ofRoute({ prefix: '/user', method: 'GET', use: token }, 'method is only for a route with path'),
  ofCreateServiceRoutes({ tokenAuth: token }, 'tokenAuth is not an option; did you mean token?'),
  ofCreateServiceRoutes({ sigV4: sigv4 }, 'sigV4 is not an option; did you mean sigv4?'),
  ofCreateServiceRoutes({ sigv4: undefined }, 'sigv4 must be an AuthScheme'),
  ofCreateServiceRoutes({ token: user }, 'token must be an AuthScheme'),
  ofCreateServiceRoutes({ baseUrl: undefined }, 'baseUrl must be an absolute URL'),
]

const local = createTokenAuth({ baseUrl: 'http://127.0.0.1:8080', credentials: user })

const services = [
  wrong('createServiceAuth()', () => serviceAuth(), 'options must be an object with', 'apiKey'),
  wrong('createServiceAuth(url)', () => serviceAuth({ baseUrl }), 'user, apiKey or both'),
  ofCreateServiceAuth({ baseURL: baseUrl }, 'baseURL is not an option; did you mean baseUrl?'),
  ofCreateServiceAuth({ credentials: user }, 'credentials is not', 'did you mean user?'),
  ofCreateServiceAuth({ accessKeyId: 'AKID' }, 'accessKeyId is not', 'did you mean apiKey?'),
  ofCreateServiceAuth({ apiKeys: [apiKey] }, 'apiKeys is not an option; did you mean apiKey?'),
  ofCreateServiceAuth({ region: undefined }, 'region must be a name such as us-east-1'),
  ofCreateServiceAuth({ user: { Username: 'a' } }, 'user.Username is not', 'mean username?'),
  ofCreateServiceAuth({ apiKey: { AccessKeyId: 'a' } }, 'AccessKeyId is not', 'mean accessKeyId?'),
  ofCreateServiceAuth({ tokenOptions: { timeout: 5 } }, 'timeout is not', 'mean loginTimeoutMs?'),
  ofCreateServiceRoutes({ token: local }, 'http://127.0.0.1:8080', 'baseUrl and origins'),
]

const emulator = createEmulator()
const verifyOf = (change: object) => (): unknown =>
  untyped(verifySigV4)(
    { method: 'GET', target: '/', rawHeaders: [], body: new Uint8Array() },
    { apiKeys: [apiKey], region: 'us-east-1', ...change },
  )

const emulators = [
  ofCreateEmulator({ port: 8080 }, 'port is not an option', 'listen'),
  ofCreateEmulator({ user: [user] }, 'user is not an option; did you mean users?'),
  ofCreateEmulator({ users: user }, 'users must be an array'),
  ofCreateEmulator({ apiKey: [apiKey] }, 'apiKey is not an option; did you mean apiKeys?'),
  ofCreateEmulator({ tokenLifetime: 5 }, 'tokenLifetime is not', 'tokenLifetimeSeconds?'),
  ofCreateEmulator(
    { users: [{ Username: 'a', Password: 'b' }] },
    'users[0].Username is not known; did you mean username?',
  ),
  ofCreateEmulator(
    { apiKeys: [{ AccessKeyId: 'a' }] },
    'apiKeys[0].AccessKeyId is not known; did you mean accessKeyId?',
  ),
  wrong('listen(8080)', () => emulator.listen(8080 as never), 'listen: options must be an object'),
  wrong(
    'listen({ prot })',
    () => emulator.listen({ prot: 1 } as never),
    'prot is not',
    'did you mean port?',
  ),
  wrong(
    'listen({ hostname })',
    () => emulator.listen({ hostname: 'x' } as never),
    'did you mean host?',
  ),
  wrong(
    'fault({ code })',
    () => emulator.fault({ code: 500 } as never),
    'code is not an option; the options are',
  ),
  wrong(
    'fault({ latency })',
    () => emulator.fault({ latency: 5 } as never),
    'did you mean latencyMs?',
  ),
  wrong('verifySigV4 with apiKey', verifyOf({ apiKey }), 'apiKey is not', 'did you mean apiKeys?'),
]

/** Calls that are told when the scheme, the client or the emulator is made, or by the call itself. */
export const wrongCalls: readonly WrongCall[] = [
  ...tokens,
  ...stores,
  ...signatures,
  ...hooks,
  ...routes,
  ...services,
  ...emulators,
]

const wireNames = { Username: 'reader', Password: 'x' }
const fromFunction = createTokenAuth({
  baseUrl: 'http://127.0.0.1:8080',
  credentials: untyped(() => wireNames) as never,
})

/** Calls that can only be told at the first request, with their words. */
export const lateCalls: readonly WrongCall[] = [
  wrong(
    'a path without baseUrl',
    () => authFetch(token)('/user/groups'),
    'must be valid and absolute',
    'authFetch(auth, { baseUrl })',
  ),
  wrong(
    'localhost in place of 127.0.0.1',
    () => authFetch(local)('http://localhost:8080/user/groups'),
    'http://localhost:8080',
    'http://127.0.0.1:8080',
    'baseUrl and origins',
    'different origins',
  ),
  wrong(
    'a credentials function that returns names of the wire',
    () => fromFunction.getToken(),
    'credentials.Username is not known; did you mean username?',
  ),
]
