/* oxlint-disable no-underscore-dangle, promise/no-callback-in-promise -- names and ways of React Native; the engine knows no async functions */

// The native side of React Native, as far as `fetch` needs it: requests go to the process that runs the engine,
// bytes are texts of Latin-1.
'use strict'
{
  const blobs = new Map()
  const timers = new Map()
  let lastTimer = 0

  const tell = (message) => print('\u0001' + JSON.stringify(message))
  const slice = ({ blobId, offset, size }) => blobs.get(blobId).slice(offset, offset + size)
  const utf8 = (text) => unescape(encodeURIComponent(text))
  const fromUtf8 = (bytes) => decodeURIComponent(escape(bytes))

  const bodyOf = (data) => {
    if (data.formData) {
      const parts = data.formData.map((part) => ({ ...part, string: utf8(part.string) }))
      return { parts }
    }
    if (data.base64 !== undefined) return { bytes: atob(data.base64) }
    if (data.blob) return { bytes: slice(data.blob) }
    return data.string === undefined ? {} : { bytes: utf8(data.string) }
  }

  const modules = {
    NativeMicrotasksCxx: { queueMicrotask: (callback) => void Promise.resolve().then(callback) },
    NativePerformanceCxx: {
      now: () => Date.now(),
      timeOrigin: () => 0,
      getSupportedPerformanceEntryTypes: () => [],
    },
    NativeReactNativeFeatureFlagsCxx: {},
    PlatformConstants: {
      getConstants: () => ({ reactNativeVersion: { major: 0, minor: 88, patch: 1 }, Version: 36 }),
    },
    Networking: {
      sendRequest(method, url, id, headers, data, responseType) {
        tell({ type: 'send', id, method, url, headers, responseType, ...bodyOf(data) })
      },
      abortRequest: (id) => tell({ type: 'abort', id }),
      clearCookies: () => {},
      addListener: () => {},
      removeListeners: () => {},
    },
    BlobModule: {
      getConstants: () => ({ BLOB_URI_SCHEME: 'content', BLOB_URI_HOST: null }),
      addNetworkingHandler: () => {},
      createFromParts(parts, id) {
        const bytes = parts.map(({ type, data }) => (type === 'string' ? utf8(data) : slice(data)))
        blobs.set(id, bytes.join(''))
      },
      release: (id) => void blobs.delete(id),
    },
    FileReaderModule: {
      readAsText: (data) => Promise.resolve(fromUtf8(slice(data))),
      readAsDataURL: (data) => Promise.resolve(`data:;base64,${btoa(slice(data))}`),
    },
  }
  globalThis.RN$Bridgeless = true
  globalThis.__turboModuleProxy = (name) => modules[name] ?? null
  globalThis.nativeModuleProxy = modules

  const log = (...values) => tell({ type: 'log', text: values.join(' ') })
  globalThis.console = { debug: log, error: log, info: log, log, trace: log, warn: log }
  globalThis.nativeLoggingHook = log
  globalThis.setTimeout = (callback, ms, ...values) => {
    lastTimer += 1
    timers.set(lastTimer, () => callback(...values))
    tell({ type: 'timer', id: lastTimer, ms: ms ?? 0 })
    return lastTimer
  }
  globalThis.clearTimeout = (id) => void timers.delete(id)
  globalThis.setInterval = (callback, ms, ...values) => {
    const id = setTimeout(function repeat() {
      timers.set(id, repeat)
      tell({ type: 'timer', id, ms: ms ?? 0 })
      callback(...values)
    }, ms)
    return id
  }
  globalThis.clearInterval = clearTimeout
  globalThis.setImmediate = (run, ...values) => setTimeout(() => run(...values), 0)
  globalThis.clearImmediate = clearTimeout

  const events = {
    timer({ id }) {
      const run = timers.get(id)
      timers.delete(id)
      run?.()
    },
    response({ id, status, headers, url, bytes, responseType }) {
      emitDeviceEvent('didReceiveNetworkResponse', [id, status, headers, url])
      if (responseType === 'blob') {
        const blobId = `response-${id}`
        blobs.set(blobId, bytes)
        emitDeviceEvent('didReceiveNetworkData', [id, { blobId, offset: 0, size: bytes.length }])
      } else {
        emitDeviceEvent('didReceiveNetworkData', [id, fromUtf8(bytes)])
      }
      emitDeviceEvent('didCompleteNetworkResponse', [id, '', false])
    },
    failure: ({ id, error }) => emitDeviceEvent('didCompleteNetworkResponse', [id, error, false]),
    run({ service, control }) {
      const app = Promise.resolve({ service, control })
      app.then(runApp).then(
        (report) => tell({ type: 'report', report }),
        (error) => tell({ type: 'report', error: String(error && error.stack) }),
      )
    },
  }
  globalThis.receive = (message) => events[message.type](message)
}
