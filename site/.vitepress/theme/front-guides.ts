import { withBase } from 'vitepress'
import { defineComponent, h } from 'vue'

type Card = Readonly<Record<'title' | 'link' | 'text', string>>

/** The configuration puts in the guides with their descriptions, below what they are about. */
declare const guideCards: readonly (readonly [title: string, cards: readonly Card[]])[]

/** The guides, as ways on from the front page. */
export const FrontGuides = defineComponent({
  name: 'FrontGuides',
  setup() {
    const list = ([title, cards]: (typeof guideCards)[number]) => [
      h('h2', title),
      h(
        'ul',
        cards.map(({ title: name, link, text }) =>
          h('li', [h('a', { href: withBase(link) }, name), h('p', text)]),
        ),
      ),
    ]
    return () => h('div', { class: 'front-guides' }, guideCards.flatMap(list))
  },
})
