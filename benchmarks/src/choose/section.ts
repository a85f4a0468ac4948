import type { MeasuredResults } from '../measured-results.ts'
import { type Bar, barsOf } from '../report/bars.ts'
import { figure, kilobytes } from '../report/figures.ts'
import { table } from '../report/table.ts'
import { countTargets } from '../targets/section.ts'
import { type Choice, type ChoiceGroup, choicesOf } from './choices.ts'

/** The head of the page: what users choose by. */
export interface ChoiceSection {
  readonly markdown: string
  /** Plots by the name of their file, without `.svg`. */
  readonly plots: Readonly<Record<string, string>>
}

/** Returns bytes and requests per second of our packages and of other libraries, as sentences, plots and a table. */
export function choiceSection(results: MeasuredResults): ChoiceSection {
  const groups = choicesOf(results)
  const plots: Record<string, string> = {}
  const pictures: string[] = []
  for (const { file, title, about, figureOf, show } of figures) {
    const shown = groups
      .map((group) => ({ title: group.title, bars: measured(group.choices, figureOf, show) }))
      .filter(({ bars }) => bars.length > 0)
    if (shown.length === 0) continue
    plots[file] = barsOf(title, shown)
    pictures.push(`![${about} of our packages and of other libraries](${file}.svg)`)
  }
  const rows = groups.flatMap(({ title, choices }) =>
    choices
      .filter((choice) => figures.some(({ figureOf }) => figureOf(choice) !== undefined))
      .map((choice, place) => [
        place === 0 ? title : '',
        choice.name,
        shownOr(choice.bytes, (value) => figure(value / 1000)),
        shownOr(choice.requestsPerSecond, figure),
      ]),
  )
  const parts = [...sentences(groups, results), ...pictures]
  if (rows.length > 0) parts.push(table(['', '', 'kB', 'requests/s'], rows))
  return { plots, markdown: parts.join('\n\n') }
}

/** A sentence tells of ours, and of the library that is most like them. */
const toldChoices = 3

/** What users choose by. */
const figures = [
  {
    file: 'requests',
    title: 'Requests a second: more is better',
    about: 'Requests a second',
    figureOf: (choice: Choice) => choice.requestsPerSecond,
    show: figure,
  },
  {
    file: 'bytes',
    title: 'Bytes in a bundle: less is better',
    about: 'Bytes in a bundle',
    figureOf: (choice: Choice) => choice.bytes,
    show: kilobytes,
  },
] as const

/** Returns a bar for each choice that was measured. */
function measured(
  choices: readonly Choice[],
  figureOf: (choice: Choice) => number | undefined,
  show: (value: number) => string,
): Bar[] {
  return choices.flatMap((choice) => {
    const value = figureOf(choice)
    const { name, isOurs } = choice
    return value === undefined ? [] : [{ name, isOurs, value, shown: show(value) }]
  })
}

/** Every figure in a sentence is computed, and a sentence is left out where nothing of it was measured. */
function sentences(groups: readonly ChoiceGroup[], results: MeasuredResults): string[] {
  const openings = [
    '**Speed**, in requests a second over loopback on Node 24.',
    '**Bytes in a bundle**, minified and compressed.',
  ]
  const told = figures.flatMap(({ figureOf, show }, place) => {
    const lists = groups.flatMap(({ title, choices }) => {
      const bars = measured(choices.slice(0, toldChoices), figureOf, show)
      return bars.length > 0
        ? [`${title}: ${bars.map(({ name, shown }) => `${name} ${shown}`).join('; ')}.`]
        : []
    })
    return lists.length > 0 ? [`${openings[place]} ${lists.join(' ')}`] : []
  })
  const { met, missed } = countTargets(results)
  return met + missed > 0
    ? [...told, `Of ${met + missed} [targets](#targets), ${met} are met and ${missed} are missed.`]
    : told
}

function shownOr(value: number | undefined, show: (value: number) => string): string {
  return value === undefined ? '' : show(value)
}
