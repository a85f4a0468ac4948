/** Formats a header for the demo: its name, and as much of its value as gives nothing away. */
export function redactHeader(name: string, value: string): string {
  return `${name}: ${shown(name, value)}`
}

function shown(name: string, value: string): string {
  switch (name) {
    case 'x-svc-route-token':
    case 'x-amz-date':
      return value
    case 'x-amz-content-sha256':
      return `${value.slice(0, 8)}…`
    case 'authorization':
      return `${value.split(' ', 1).join()} …[redacted]`
    default:
      return '[redacted]'
  }
}
