import { type ProjectReflection, type Reflection, ReflectionKind } from 'typedoc'
import { byImportance, byPackage } from './order.ts'

const called = [ReflectionKind.Function, ReflectionKind.Variable, ReflectionKind.Class]

/** Returns the front page: each entry with its purpose and with the names that it exports. */
export function indexPage(
  { name, children: modules = [] }: ProjectReflection,
  urlOf: (reflection: Reflection) => string,
): string {
  const link = (reflection: Reflection): string => `[\`${reflection.name}\`](${urlOf(reflection)})`
  const rows = byPackage(modules, (module) => module.name).map((module) => {
    const purpose = (module.comment?.summary ?? []).map(({ text }) => text).join('')
    const { children = [] } = module
    const functions = children.filter((child) => child.kindOf(called))
    // An entry without functions is there for its types.
    const names = byImportance(functions.length > 0 ? functions : children).map(link)
    return `| ${link(module)} | ${purpose.replaceAll('\n', ' ')} | ${names.join(', ')} |`
  })
  return [
    `# ${name}`,
    '',
    'Each page documents one import: functions first, then the types with every option.',
    'A name that several imports export is documented on one page, and the others link to it.',
    '',
    '| import | purpose | exports |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ].join('\n')
}
