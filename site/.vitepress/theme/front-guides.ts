import { withBase } from 'vitepress'
import { defineComponent, h } from 'vue'

/** The configuration puts in the guides with their descriptions. */
declare const guideCards: readonly Readonly<Record<'title' | 'link' | 'text', string>>[]

/** The guides, as ways on from the front page. */
export const FrontGuides = defineComponent({
  name: 'FrontGuides',
  setup() {
    return () =>
      h(
        'ul',
        { class: 'front-guides' },
        guideCards.map(({ title, link, text }) =>
          h('li', [h('a', { href: withBase(link) }, title), h('p', text)]),
        ),
      )
  },
})
