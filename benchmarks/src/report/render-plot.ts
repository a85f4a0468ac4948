import * as vega from 'vega'
import { compile, type TopLevelSpec } from 'vega-lite'

/** The measure of texts, which is an export of vega and none of its types. */
interface TextMetrics {
  width: (item: { readonly fontSize?: number }, text: unknown) => number
}
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
const { textMetrics } = vega as unknown as { readonly textMetrics: TextMetrics }

// Without a browser vega takes a character to be 0.8 of the height of its font, and leaves too much room for it.
const characterWidth = 0.55
textMetrics.width = ({ fontSize = 11 }, text) => characterWidth * fontSize * String(text).length

/** Renders a plot as SVG. */
export async function renderPlot(plot: TopLevelSpec): Promise<string> {
  const { spec } = compile(plot)
  const view = new vega.View(vega.parse(spec), { renderer: 'none' })
  try {
    return await view.toSVG()
  } finally {
    view.finalize()
  }
}
