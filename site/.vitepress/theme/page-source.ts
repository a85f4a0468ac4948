import { useData } from 'vitepress'
import { defineComponent, h } from 'vue'

/** The links to the Markdown of a page, and to the document of which it is made. */
export const PageSource = defineComponent({
  name: 'PageSource',
  setup() {
    const { frontmatter } = useData()
    return () => {
      const { markdown, source } = frontmatter.value
      return h('p', { class: 'page-source' }, [
        // The router would take it for a page.
        h('a', { href: markdown, target: '_self', rel: 'alternate' }, 'This page as Markdown'),
        ...(source ? [' · ', h('a', { href: source.url }, source.document)] : []),
      ])
    }
  },
})
