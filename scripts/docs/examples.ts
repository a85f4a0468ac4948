import { type Comment, type ProjectReflection, type Reflection, ReflectionKind } from 'typedoc'

/** An `@example` of the API. */
export interface Example {
  /** The export that it belongs to, such as `@svc/auth-hooks.authFetch`. */
  readonly of: string
  readonly code: string
}

/** Returns every `@example` of the exports. */
export function findExamples(project: ProjectReflection): Example[] {
  return Object.values(project.reflections).flatMap(examplesOf)
}

/** Returns the names of the exported functions that do not have just one example. */
export function findWithoutExample(project: ProjectReflection): string[] {
  return project
    .getReflectionsByKind(ReflectionKind.CallSignature)
    .filter(({ parent }) => parent?.kindOf(ReflectionKind.Function))
    .filter((signature) => examplesOf(signature).length !== 1)
    .map((signature) => signature.getFullName())
}

function examplesOf(reflection: Reflection): Example[] {
  const tags = reflection.comment?.getTags('@example') ?? []
  return tags.map(({ content }) => ({ of: reflection.getFullName(), code: codeOf(content) }))
}

/** Returns the code of an example without the fence that typedoc puts around it. */
function codeOf(content: Comment['summary']): string {
  const text = content.map((part) => part.text).join('')
  return text.replace(/^```ts\n([^]*)\n```\s*$/, '$1\n')
}
