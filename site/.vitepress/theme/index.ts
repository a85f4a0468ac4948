import DefaultTheme from 'vitepress/theme-without-fonts'
import type { Theme } from 'vitepress'
import { FilteredTable } from './filtered-table.ts'
import { FrontGuides } from './front-guides.ts'
import { Layout } from './layout.ts'
import { PageSource } from './page-source.ts'
// oxlint-disable-next-line import/no-unassigned-import -- it is a style sheet
import './style.css'

const theme: Theme = {
  extends: DefaultTheme,
  Layout,
  enhanceApp({ app }) {
    app.component('FilteredTable', FilteredTable)
    app.component('FrontGuides', FrontGuides)
    app.component('PageSource', PageSource)
  },
}

// VitePress reads a default export.
export default theme
