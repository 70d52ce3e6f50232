/** The steps of a series: when each begins, in seconds since 1970. */
export const stepsOf = (series: {
  readonly from: string
  readonly until: string
  readonly step_seconds: number
}): ReadonlyArray<number> => {
  const [from, until] = [Date.parse(series.from) / 1_000, Date.parse(series.until) / 1_000]
  return Array.from(
    { length: Math.round((until - from) / series.step_seconds) },
    (_, index) => from + index * series.step_seconds
  )
}

/** One line of a plot: a value for each step, null where there is none. */
export interface Line {
  readonly label: string
  readonly values: ReadonlyArray<number | null>
  /** What stands for the values in the table, exactly; the values themselves where it is absent. */
  readonly texts?: ReadonlyArray<string | null>
}

/** A value of a step as a point of a series has it. */
export interface Valued {
  readonly value: number
  readonly text?: string
}

/** Lines out of points: one for each label, at most so many, those with the most points first. */
export const linesOf = <Point extends { readonly at: string }>(
  times: ReadonlyArray<number>,
  points: ReadonlyArray<Point>,
  {
    labelOf,
    linesMax = 6,
    missing = null,
    valueOf
  }: {
    readonly labelOf: (point: Point) => string
    readonly valueOf: (points: ReadonlyArray<Point>) => Valued
    /** What stands where a step has no point. */
    readonly missing?: number | null
    readonly linesMax?: number
  }
): ReadonlyArray<Line> => {
  const byLabel = [...Map.groupBy(points, labelOf)].toSorted(
    ([one, some], [other, more]) => more.length - some.length || (one < other ? -1 : 1)
  )
  return byLabel.slice(0, linesMax).map(([label, own]) => {
    const byTime = Map.groupBy(own, ({ at }) => Date.parse(at) / 1_000)
    const valued = times.map((time) => {
      const here = byTime.get(time)
      return here === undefined ? undefined : valueOf(here)
    })
    return {
      label,
      values: valued.map((one) => one?.value ?? missing),
      texts: valued.map((one) => (one === undefined ? null : (one.text ?? String(one.value))))
    }
  })
}
