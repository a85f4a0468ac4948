import type { TopLevelSpec } from 'vega-lite'

/** Sizes that can be read where a plot has the width of a text, on the background of its page. */
export const plotLook: Pick<TopLevelSpec, 'background' | 'config'> = {
  background: 'transparent',
  config: {
    axis: { labelFontSize: 12, titleFontSize: 12, titleFontWeight: 'normal' },
    header: { labelFontSize: 14, labelFontWeight: 'bold', labelAnchor: 'start' },
    legend: { orient: 'top', labelFontSize: 13, labelLimit: 300, symbolSize: 100 },
    title: { fontSize: 14, anchor: 'start' },
  },
}
