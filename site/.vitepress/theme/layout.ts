import DefaultTheme from 'vitepress/theme-without-fonts'
import { defineComponent, h } from 'vue'
import { PageSource } from './page-source.ts'

/** The layout of VitePress, with the way to each page's document and to its Markdown at the end. */
export const Layout = defineComponent({
  name: 'SiteLayout',
  setup() {
    return () => h(DefaultTheme.Layout, null, { 'doc-footer-before': () => h(PageSource) })
  },
})
