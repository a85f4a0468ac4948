import type { ShikiTransformer } from 'shiki'

/**
 * Gives code classes in place of style attributes, which the policy of the site forbids: `token-keyword` for the
 * color `var(--shiki-token-keyword)`.
 */
export const codeClasses: ShikiTransformer = {
  name: 'code-classes',
  pre(element) {
    delete element.properties['style']
  },
  span(element) {
    const style = element.properties['style']
    delete element.properties['style']
    const [, name] =
      /color:var\(--shiki-(token-[\w-]+)\)/.exec(typeof style === 'string' ? style : '') ?? []
    if (name) element.properties['class'] = name
  },
}
