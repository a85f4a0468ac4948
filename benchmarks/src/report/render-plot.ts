import { parse, View } from 'vega'
import { compile, type TopLevelSpec } from 'vega-lite'

/** Renders a plot as SVG. */
export async function renderPlot(plot: TopLevelSpec): Promise<string> {
  const { spec } = compile(plot)
  const view = new View(parse(spec), { renderer: 'none' })
  try {
    return await view.toSVG()
  } finally {
    view.finalize()
  }
}
