import type { VNode } from 'preact'
import type { RequestFields } from '../input/fields.ts'
import type { InputKind } from '../input/recognise.ts'
import { SourceField } from './source-field.tsx'
import type { Entered } from './state.ts'

/** The kinds, as a person chooses them. */
const kindNames: Readonly<Record<InputKind, string>> = {
  http: 'raw HTTP request',
  curl: 'curl command',
  har: 'HAR file or entry',
  url: 'URL',
  token: 'token (JWT)',
  fields: 'fields',
}

/** Options of {@link RequestInput}. */
export interface RequestInputProps {
  readonly entered: Entered
  readonly recognised: InputKind | undefined
  readonly holdsSecrets: boolean
  readonly error: string | undefined
  readonly onChange: (change: Partial<Entered>) => void
}

/** The request: pasted in any form, or in fields. */
export function RequestInput(props: RequestInputProps): VNode {
  const { entered, recognised, holdsSecrets, error, onChange } = props
  const { kind, text, large, fields } = entered
  const setFields = (change: Partial<RequestFields>): void =>
    onChange({ fields: { ...fields, ...change } })
  return (
    <fieldset>
      <legend>Request, presigned URL or token</legend>
      <div class="kind">
        <label for="kind">Read it as</label>
        <select
          id="kind"
          value={kind}
          onChange={({ currentTarget }) => {
            const chosen = kinds.find((one) => one === currentTarget.value)
            if (chosen) onChange({ kind: chosen, entry: undefined })
          }}
        >
          <option value="auto">automatic</option>
          {kinds.slice(1).map((one) => (
            <option key={one} value={one}>
              {one === 'auto' ? '' : kindNames[one]}
            </option>
          ))}
        </select>
        {kind === 'auto' && recognised !== undefined && (
          <span class="recognised">{kindNames[recognised]}</span>
        )}
        <label class="button file">
          Open a file…
          <input
            type="file"
            class="visually-hidden"
            onChange={({ currentTarget }) => {
              const [file] = currentTarget.files ?? []
              if (file)
                onChange({ large: { name: file.name, size: file.size, source: file }, text: '' })
              currentTarget.value = ''
            }}
          />
        </label>
      </div>
      {kind === 'fields' ? (
        <Fields fields={fields} error={error} holdsSecrets={holdsSecrets} onChange={setFields} />
      ) : (
        <SourceField
          id="source"
          label="Paste it here"
          hint="A raw HTTP request, a curl command (also from a browser’s developer tools), a HAR, a presigned URL or a token."
          rows={10}
          text={text}
          large={large}
          holdsSecrets={holdsSecrets}
          error={error}
          onText={(next) => onChange({ text: next, large: undefined, entry: undefined })}
          onLarge={(next) => onChange({ large: next, text: '', entry: undefined })}
        />
      )}
    </fieldset>
  )
}

const kinds = ['auto', 'http', 'curl', 'har', 'url', 'token', 'fields'] as const

interface FieldsProps {
  readonly fields: RequestFields
  readonly error: string | undefined
  readonly holdsSecrets: boolean
  readonly onChange: (change: Partial<RequestFields>) => void
}

function Fields({ fields, error, holdsSecrets, onChange }: FieldsProps): VNode {
  const place = /^(?:URL|Method)\b/.exec(error ?? '')?.[0] ?? 'Headers'
  const faultOf = (name: string): object =>
    error !== undefined && place === name
      ? { 'aria-invalid': true, 'aria-describedby': 'fields-error' }
      : {}
  return (
    <>
      <div class="grid">
        <div class="field">
          <label for="field-method">Method</label>
          <input
            id="field-method"
            value={fields.method}
            autocomplete="off"
            spellcheck={false}
            {...faultOf('Method')}
            onInput={({ currentTarget }) => onChange({ method: currentTarget.value })}
          />
        </div>
        <div class="field wide">
          <label for="field-url">URL</label>
          <input
            id="field-url"
            value={fields.url}
            autocomplete="off"
            spellcheck={false}
            inputMode="url"
            placeholder="https://bucket.s3.amazonaws.com/key"
            {...faultOf('URL')}
            onInput={({ currentTarget }) => onChange({ url: currentTarget.value })}
          />
        </div>
      </div>
      {error !== undefined && place !== 'Headers' && (
        <p class="error" id="fields-error">
          <span aria-hidden="true">✗ </span>
          {error}
        </p>
      )}
      <SourceField
        key="headers"
        id="field-headers"
        label="Headers"
        hint="One on each line: name, colon, value."
        rows={6}
        text={fields.headers}
        holdsSecrets={holdsSecrets}
        error={place === 'Headers' ? error : undefined}
        onText={(headers) => onChange({ headers })}
      />
      <SourceField
        key="body"
        id="field-body"
        label="Body"
        hint="As it is sent, byte for byte."
        rows={3}
        text={fields.body}
        holdsSecrets={holdsSecrets}
        onText={(body) => onChange({ body })}
      />
    </>
  )
}
