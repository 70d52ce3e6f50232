import { useEffect, useRef } from "react"
import UPlot from "uplot"
// oxlint-disable-next-line import/no-unassigned-import -- the build makes a stylesheet of it
import "uplot/dist/uPlot.min.css"
import { lineColours } from "./colours.ts"
import type { Line } from "./steps.ts"

/** The height of a plot, in pixels. */
const height = 180

/** A colour of the page as it is now, light or dark. */
const colourOf = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

interface ChartProps {
  readonly times: ReadonlyArray<number>
  readonly lines: ReadonlyArray<Line>
  readonly show: (value: number) => string
}

const optionsOf = ({ lines, show }: ChartProps, width: number): UPlot.Options => {
  const axis = { stroke: colourOf("--muted"), grid: { stroke: colourOf("--line"), width: 1 }, ticks: { show: false } }
  return {
    width,
    height,
    cursor: { y: false, drag: { setScale: false } },
    legend: { show: false },
    scales: { y: { range: (_, least, most) => [Math.min(0, least), most <= 0 ? 1 : most * 1.05] } },
    axes: [axis, { ...axis, size: 64, values: (_, all) => all.map(show) }],
    series: [
      {},
      ...lines.map(({ label }, index) => {
        const stroke = colourOf(lineColours[index % lineColours.length] ?? "--accent")
        return { label, stroke, width: 2, spanGaps: false, points: { size: 4, fill: stroke } }
      })
    ]
  }
}

/** The drawing itself. It says nothing to whoever does not see it: the table beside it does. */
export const Chart = (props: ChartProps) => {
  const place = useRef<HTMLDivElement>(null)
  const { lines, times } = props
  useEffect(() => {
    const element = place.current
    if (element === null) return undefined
    let plot: UPlot | undefined
    const draw = () => {
      plot?.destroy()
      const data: UPlot.AlignedData = [[...times], ...lines.map(({ values }) => [...values])]
      plot = new UPlot(optionsOf(props, Math.max(200, element.clientWidth)), data, element)
    }
    draw()
    const resized = new ResizeObserver(() => plot?.setSize({ width: Math.max(200, element.clientWidth), height }))
    resized.observe(element)
    const dark = matchMedia("(prefers-color-scheme: dark)")
    dark.addEventListener("change", draw)
    return () => {
      dark.removeEventListener("change", draw)
      resized.disconnect()
      plot?.destroy()
    }
  }, [props, lines, times])
  return <div ref={place} className="chart" aria-hidden />
}
