import DefaultTheme from 'vitepress/theme-without-fonts'
import { defineComponent, h, onMounted, onUnmounted } from 'vue'
import { PageSource } from './page-source.ts'
import { correctSearch } from './search-semantics.ts'

/** The layout of VitePress, with the way to each page's document and to its Markdown at the end. */
export const Layout = defineComponent({
  name: 'SiteLayout',
  setup() {
    let end: (() => void) | undefined
    onMounted(() => (end = correctSearch()))
    onUnmounted(() => end?.())
    return () => h(DefaultTheme.Layout, null, { 'doc-footer-before': () => h(PageSource) })
  },
})
