import { type Comment, type ProjectReflection, type Reflection, ReflectionKind } from 'typedoc'

/** An `@example` of the API. */
export interface Example {
  /** What it is an example of, such as `@svc/auth-hooks.authFetch`. */
  readonly of: string
  readonly code: string
}

/** Every `@example` of what is exported. */
export function findExamples(project: ProjectReflection): Example[] {
  return Object.values(project.reflections).flatMap(examplesOf)
}

/** The names of exported functions that do not have just one example. */
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

/** typedoc has put a fence around it. */
function codeOf(content: Comment['summary']): string {
  const text = content.map((part) => part.text).join('')
  return text.replace(/^```ts\n([^]*)\n```\s*$/, '$1\n')
}
