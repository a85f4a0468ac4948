/** An option of curl. */
export interface CurlOption {
  /** Its long name without dashes. */
  readonly name: string
  readonly takesValue: boolean
}

/** Options with a value behind them: those of 7.88 and of the versions since. */
const withValue = (
  'abstract-unix-socket alt-svc aws-sigv4 cacert capath cert cert-type ciphers config connect-timeout ' +
  'connect-to continue-at cookie cookie-jar create-file-mode crlfile curves data data-ascii data-binary ' +
  'data-raw data-urlencode delegation dns-interface dns-ipv4-addr dns-ipv6-addr dns-servers doh-url ' +
  'dump-header ech egd-file engine etag-compare etag-save expect100-timeout form form-string ftp-account ' +
  'ftp-alternative-to-user ftp-method ftp-port ftp-ssl-ccc-mode happy-eyeballs-timeout-ms ' +
  'haproxy-clientip header hostpubmd5 hostpubsha256 hsts interface ip-tos ipfs-gateway json keepalive-cnt ' +
  'keepalive-time key key-type knownhosts krb libcurl limit-rate local-port login-options mail-auth ' +
  'mail-from mail-rcpt max-filesize max-redirs max-time netrc-file noproxy oauth2-bearer output output-dir ' +
  'parallel-max parallel-max-host pass pinnedpubkey preproxy proto proto-default proto-redir proxy ' +
  'proxy-cacert proxy-capath proxy-cert proxy-cert-type proxy-ciphers proxy-crlfile proxy-header proxy-key ' +
  'proxy-key-type proxy-pass proxy-pinnedpubkey proxy-service-name proxy-tls13-ciphers proxy-tlsauthtype ' +
  'proxy-tlspassword proxy-tlsuser proxy-user proxy1.0 pubkey quote random-file range rate referer request ' +
  'request-target resolve retry retry-delay retry-max-time sasl-authzid service-name sigalgs socks4 socks4a ' +
  'socks5 socks5-gssapi-service socks5-hostname speed-limit speed-time ssl-sessions stderr telnet-option ' +
  'tftp-blksize time-cond tls-max tls13-ciphers tlsauthtype tlspassword tlsuser trace trace-ascii ' +
  'trace-config unix-socket upload-file upload-flags url url-query user user-agent variable vlan-priority ' +
  'write-out'
).split(' ')

/** Options that stand alone. */
const flags = (
  'anyauth append basic ca-native cert-status compressed compressed-ssh create-dirs crlf digest disable ' +
  'disable-eprt disable-epsv disallow-username-in-url doh-cert-status doh-insecure dump-ca-embed fail ' +
  'fail-early fail-with-body false-start follow form-escape ftp-create-dirs ftp-pasv ftp-pret ' +
  'ftp-skip-pasv-ip ftp-ssl-ccc ftp-ssl-control get globoff haproxy-protocol head help http0.9 http1.0 ' +
  'http1.1 http2 http2-prior-knowledge http3 http3-only ignore-content-length include insecure ipv4 ipv6 ' +
  'junk-session-cookies list-only location location-trusted mail-rcpt-allowfails manual metalink mptcp ' +
  'negotiate netrc netrc-optional next no-alpn no-buffer no-clobber no-keepalive no-npn no-progress-meter ' +
  'no-sessionid ntlm ntlm-wb out-null parallel parallel-immediate path-as-is post301 post302 post303 ' +
  'progress-bar proxy-anyauth proxy-basic proxy-ca-native proxy-digest proxy-http2 proxy-insecure ' +
  'proxy-negotiate proxy-ntlm proxy-ssl-allow-beast proxy-ssl-auto-client-cert proxy-tlsv1 proxytunnel raw ' +
  'remote-header-name remote-name remote-name-all remote-time remove-on-error retry-all-errors ' +
  'retry-connrefused sasl-ir show-error show-headers silent skip-existing socks5-basic socks5-gssapi ' +
  'socks5-gssapi-nec ssl ssl-allow-beast ssl-auto-client-cert ssl-no-revoke ssl-reqd ' +
  'ssl-revoke-best-effort sslv2 sslv3 styled-output suppress-connect-headers tcp-fastopen tcp-nodelay ' +
  'tftp-no-options tls-earlydata tlsv1 tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 tr-encoding trace-ids trace-time ' +
  'use-ascii verbose version xattr'
).split(' ')

const letters: ReadonlyMap<string, string> = new Map(
  (
    'A user-agent,a append,B use-ascii,b cookie,C continue-at,c cookie-jar,D dump-header,d data,E cert,' +
    'e referer,F form,f fail,G get,g globoff,H header,h help,I head,i include,J remote-header-name,' +
    'j junk-session-cookies,K config,k insecure,L location,l list-only,M manual,m max-time,N no-buffer,' +
    'n netrc,O remote-name,o output,P ftp-port,p proxytunnel,Q quote,q disable,R remote-time,r range,' +
    'S show-error,s silent,T upload-file,t telnet-option,U proxy-user,u user,V version,v verbose,w write-out,' +
    'X request,x proxy,Y speed-limit,y speed-time,Z parallel,z time-cond,0 http1.0,1 tlsv1,2 sslv2,3 sslv3,' +
    '4 ipv4,6 ipv6,: next,# progress-bar'
  )
    .split(',')
    .map((pair) => [pair.charAt(0), pair.slice(2)]),
)

const options: ReadonlyMap<string, CurlOption> = new Map<string, CurlOption>([
  ...withValue.map((name) => [name, { name, takesValue: true }] as const),
  ...flags.map((name) => [name, { name, takesValue: false }] as const),
])

/** Options whose value is a secret or holds one, behind a colon. */
const secret = new Set(
  (
    'cert ftp-account ftp-alternative-to-user login-options pass proxy-cert proxy-header proxy-pass ' +
    'proxy-tlspassword proxy-user tlspassword variable'
  ).split(' '),
)

/** Options whose value is a URL, in which a user and a password may stand. */
const proxies = new Set('preproxy proxy proxy1.0 socks4 socks4a socks5 socks5-hostname'.split(' '))

/** Finds the option of a letter. */
export function findShortOption(letter: string): CurlOption | undefined {
  return options.get(letters.get(letter) ?? '')
}

/** Finds an option by its long name or the beginning of it, as curl does; several where it begins more than one. */
export function findLongOption(text: string): CurlOption | 'ambiguous' | undefined {
  const name = text.toLowerCase()
  const exact = options.get(name)
  if (exact || name === '') return exact
  // Each flag can be denied, and those that are there as denied can be affirmed.
  const other = name.startsWith('no-') ? name.slice(3) : `no-${name}`
  const opposite = options.get(other)
  if (opposite && !opposite.takesValue) return { name: `no-${opposite.name}`, takesValue: false }
  const found = [...options.values()].filter((option) => option.name.startsWith(name))
  return found.length > 1 ? 'ambiguous' : found[0]
}

/** Lists the parts of an option's value that others should not see. */
export function secretsIn({ name }: CurlOption, value: string): string[] {
  if (secret.has(name)) return [value, ...value.split(/[:=]/)]
  const at = proxies.has(name) ? value.lastIndexOf('@') : -1
  if (at < 0) return []
  const user = value.slice(0, at).replace(/^[a-z0-9]+:\/\//i, '')
  return [user, ...user.split(':')]
}
