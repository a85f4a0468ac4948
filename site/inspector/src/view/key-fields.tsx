import type { TargetedInputEvent, VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { PastedKey } from '../input/pasted-request.ts'

/** Options of {@link KeyFields}. */
export interface KeyFieldsProps {
  readonly value: PastedKey
  readonly error: string | undefined
  readonly onChange: (key: PastedKey) => void
}

/** The fields of a key; those that are secret are masked. */
export function KeyFields({ value, error, onChange }: KeyFieldsProps): VNode {
  const field = (name: keyof PastedKey, label: string, isSecret = false): VNode => (
    <KeyField
      name={name}
      label={label}
      isSecret={isSecret}
      value={value[name]}
      isWrong={error !== undefined && error.startsWith(name)}
      onInput={(text) => onChange({ ...value, [name]: text })}
    />
  )
  return (
    <fieldset>
      <legend>
        Key <span class="optional">optional, to check the signature</span>
      </legend>
      <div class="grid">
        {field('accessKeyId', 'Access key ID')}
        {field('secretAccessKey', 'Secret access key', true)}
        {field('sessionToken', 'Session token', true)}
        {field('region', 'Region')}
        {field('service', 'Service')}
      </div>
      {error !== undefined && (
        <p class="error" id="key-error">
          <span aria-hidden="true">✗ </span>
          {error}
        </p>
      )}
    </fieldset>
  )
}

interface KeyFieldProps {
  readonly name: string
  readonly label: string
  readonly isSecret: boolean
  readonly value: string
  readonly isWrong: boolean
  readonly onInput: (text: string) => void
}

function KeyField({ name, label, isSecret, value, isWrong, onInput }: KeyFieldProps): VNode {
  const [isRevealed, setRevealed] = useState(false)
  const id = `key-${name}`
  const attributes = {
    id,
    value,
    autocapitalize: 'off',
    spellcheck: false,
    translate: false,
    ...(isWrong && { 'aria-invalid': true, 'aria-describedby': 'key-error' }),
    onInput: ({ currentTarget }: TargetedInputEvent<HTMLInputElement>) =>
      onInput(currentTarget.value),
  } as const
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="with-button">
        {isSecret && !isRevealed ? (
          // A password manager neither fills nor keeps it.
          <input type="password" autocomplete="new-password" {...attributes} />
        ) : (
          <input type="text" autocomplete="off" {...attributes} />
        )}
        {isSecret && (
          <button
            type="button"
            class="quiet"
            aria-pressed={isRevealed}
            aria-label={`Reveal the ${label.toLowerCase()}`}
            onClick={() => setRevealed(!isRevealed)}
          >
            {isRevealed ? 'Hide' : 'Reveal'}
          </button>
        )}
      </div>
    </div>
  )
}
