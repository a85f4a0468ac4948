import { type ProjectReflection, ReflectionKind } from 'typedoc'

/** Returns the names of the exported functions that do not have just one example. */
export function findWithoutExample(project: ProjectReflection): string[] {
  return project
    .getReflectionsByKind(ReflectionKind.CallSignature)
    .filter(({ parent }) => parent?.kindOf(ReflectionKind.Function))
    .filter((signature) => signature.comment?.getTags('@example').length !== 1)
    .map((signature) => signature.getFullName())
}
