/** Options of curl with a value behind them, but for those that a request does not depend on and nobody uses. */
const short = new Set('AbcCdDeEFHKmoPQrtTuUwxXyYz')

const long = new Set(
  (
    'aws-sigv4 cacert capath cert cert-type ciphers config connect-timeout connect-to cookie cookie-jar ' +
    'create-file-mode crlfile curves data data-ascii data-binary data-raw data-urlencode doh-url dump-header ' +
    'ech engine etag-compare etag-save expect100-timeout form form-string header hostpubmd5 interface ' +
    'ip-tos json keepalive-time key key-type libcurl limit-rate local-port max-filesize max-redirs max-time ' +
    'netrc-file next noproxy oauth2-bearer output output-dir pass pinnedpubkey preproxy proto proto-default ' +
    'proto-redir proxy proxy-header proxy-user pubkey random-file range rate referer request request-target ' +
    'resolve retry retry-delay retry-max-time socks5 socks5-hostname speed-limit speed-time stderr ' +
    'time-cond tls-max tls13-ciphers trace trace-ascii trace-config unix-socket upload-file url url-query ' +
    'user user-agent write-out'
  ).split(' '),
)

/** Tells if a value stands behind an option, given by its name without dashes. */
export function takesValue(name: string): boolean {
  return name.length === 1 ? short.has(name) : long.has(name)
}
