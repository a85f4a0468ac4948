import { headerValue, type RawRequest } from '../http/request.ts'

/** A form with one file, as it came. All strings are byte strings. */
export interface UploadForm {
  /** The fields before the file, in order, their names in lower case. */
  readonly fields: ReadonlyMap<string, string>
  /** The file, or the text in its place. */
  readonly file: Uint8Array
  /** The name of the file, without the folders that some browsers send. */
  readonly filename: string
}

/** What is wrong with a form. */
export type FormFault = 'malformed' | 'repeated-field' | 'too-many-fields' | 'no-file'

/** All that comes before the file, as S3 bounds it. */
const maxFieldBytes = 20 * 1024

/**
 * Reads a form of `multipart/form-data`. What stands behind the file is ignored, as S3 does.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTForms.html
 */
export function readUploadForm(request: RawRequest): UploadForm | FormFault {
  const boundary = readBoundary(headerValue(request, 'content-type') ?? '')
  if (boundary === undefined) return 'malformed'
  const body = Buffer.from(request.body.buffer, request.body.byteOffset, request.body.byteLength)
  const delimiter = `\r\n--${boundary}`
  const fields = new Map<string, string>()
  // The first delimiter may open the body, without a line before it.
  const isFirst = body.toString('latin1', 0, delimiter.length - 2) === delimiter.slice(2)
  const first = isFirst ? -2 : body.indexOf(delimiter, 0, 'latin1')
  if (!isFirst && first === -1) return 'malformed'
  let start = first + delimiter.length
  while (body.toString('latin1', start, start + 2) !== '--') {
    const part = readPart(body, start, delimiter)
    if (part === undefined) return 'malformed'
    const { name, filename, contentStart, end } = part
    const isFile = name === 'file'
    if ((isFile ? start : end) > maxFieldBytes) return 'too-many-fields'
    if (isFile) return { fields, file: body.subarray(contentStart, end), filename }
    if (fields.has(name)) return 'repeated-field'
    fields.set(name, body.toString('latin1', contentStart, end))
    start = end + delimiter.length
  }
  return 'no-file'
}

// See https://www.rfc-editor.org/rfc/rfc2046#section-5.1.1
function readBoundary(contentType: string): string | undefined {
  const [, quoted, token] = /;\s*boundary=(?:"([^"]*)"|([^\s;"]+))/i.exec(contentType) ?? []
  const boundary = quoted ?? token ?? ''
  return /^[\w'()+,\-./:=? ]{0,69}[\w'()+,\-./:=?]$/.test(boundary) ? boundary : undefined
}

interface Part {
  readonly name: string
  readonly filename: string
  readonly contentStart: number
  readonly end: number
}

/** The headers of one part are short: a name and a type. */
const maxHeadBytes = 8 * 1024

function readPart(body: Buffer, start: number, delimiter: string): Part | undefined {
  const text = body.toString('latin1', start, start + maxHeadBytes)
  const headEnd = text.indexOf('\r\n\r\n')
  const head = text.slice(0, headEnd)
  if (headEnd === -1 || !/^[\t ]*\r\n/.test(`${head}\r\n`) || head.includes(delimiter)) {
    return undefined
  }
  const contentStart = start + headEnd + 4
  const end = body.indexOf(delimiter, contentStart, 'latin1')
  const disposition = /\r\ncontent-disposition:[\t ]*form-data;(.*)/i.exec(head)
  const name = readParameter(disposition?.[1], 'name')
  if (end === -1 || !name) return undefined
  // A line that only begins like the delimiter must not end a file early.
  const next = end + delimiter.length
  if (!/^(?:--|[\t ]*\r\n)/.test(body.toString('latin1', next, next + 80))) return undefined
  const filename = readParameter(disposition?.[1], 'filename') ?? ''
  return {
    name: name.toLowerCase(),
    filename: filename.replace(/^.*[/\\]/s, ''),
    contentStart,
    end,
  }
}

function readParameter(parameters = '', name: string): string | undefined {
  const found = new RegExp(`(?:^|;)[\\t ]*${name}=(?:"([^"]*)"|([^\\s;"]+))`, 'i').exec(parameters)
  return found?.[1] ?? found?.[2]
}
