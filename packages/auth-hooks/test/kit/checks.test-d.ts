import { checkOptions, type OptionNames } from '@svc/auth-hooks/scheme'

interface KeyOptions {
  key: string
  baseUrl?: string | undefined
}

declare const options: KeyOptions

// The copy has the type of the options.
export const { key, baseUrl }: KeyOptions = checkOptions(options, '', { key: '', baseUrl: 'url' })

// @ts-expect-error -- an option is forgotten
checkOptions(options, '', { key: '' })

// @ts-expect-error -- a name is that of no option
checkOptions(options, '', { key: '', baseUrl: '', other: '' })

// @ts-expect-error -- an option is forgotten, an optional one too
export const names: OptionNames<KeyOptions> = { key: '' }
