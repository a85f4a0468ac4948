import { withBase } from 'vitepress'
import { defineComponent, h } from 'vue'

/** The configuration puts in the guides with their descriptions. */
declare const guideCards: readonly Readonly<Record<'title' | 'link' | 'text', string>>[]

/** The guides, as ways on from the front page. */
export const FrontGuides = defineComponent({
  name: 'FrontGuides',
  setup() {
    const list = (title: string, cards: typeof guideCards) => [
      h('h2', title),
      h(
        'ul',
        cards.map(({ title: name, link, text }) =>
          h('li', [h('a', { href: withBase(link) }, name), h('p', text)]),
        ),
      ),
    ]
    return () =>
      h('div', { class: 'front-guides' }, [
        ...list('Start here', guideCards.slice(0, 3)),
        ...list('When you need it', guideCards.slice(3)),
      ])
  },
})
