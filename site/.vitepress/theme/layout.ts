import { useData } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { defineComponent, h } from 'vue'

/** The layout of VitePress, with the way to each page's document and to its Markdown at the end. */
export const Layout = defineComponent({
  name: 'SiteLayout',
  setup() {
    const { frontmatter } = useData()
    return () =>
      h(DefaultTheme.Layout, null, {
        'doc-footer-before': () => h(PageSource, { frontmatter: frontmatter.value }),
        'page-bottom': () => h(PageSource, { frontmatter: frontmatter.value }),
      })
  },
})

const PageSource = defineComponent({
  name: 'PageSource',
  props: { frontmatter: { type: Object, required: true } },
  setup(props) {
    return () => {
      const { markdown, source } = props.frontmatter
      const link = (href: string, text: string, rel?: string) =>
        // The router would take it for a page.
        h('a', { href, target: '_self', rel }, text)
      return h('p', { class: 'page-source' }, [
        link(markdown, 'This page as Markdown', 'alternate'),
        ...(source ? [' · ', link(source.url, source.document)] : []),
      ])
    }
  },
})
