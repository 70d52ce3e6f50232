/** A number that was measured, and how it is written. */
export interface Figure {
  readonly value: number
  readonly show: (value: number) => string
}

/** One line of the benchmark: words, and the figures between them. There is one figure fewer than words. */
export interface Line {
  readonly words: readonly [string, ...ReadonlyArray<string>]
  readonly figures: ReadonlyArray<Figure>
}

/** A number as a person reads it. */
export const round = (value: number): string => Math.round(value).toLocaleString("en-US")

/** A figure in whole units: operations a second, microseconds, MiB. */
export const whole = (value: number): Figure => ({ value, show: round })

/** A figure with so many digits behind the point. */
export const digits = (value: number, count: number): Figure => ({ value, show: (one) => one.toFixed(count) })

/** A share, in percent. */
export const percent = (part: number, all: number): Figure => ({
  value: (100 * part) / all,
  show: (share) => `${share.toFixed(0)} %`
})

/** A line out of words and figures; what is no figure is a word, and the same in every round. */
export const line = (strings: TemplateStringsArray, ...parts: ReadonlyArray<Figure | string | number>): Line => {
  let [word = ""] = strings
  const words: Array<string> = []
  const figures: Array<Figure> = []
  for (const [index, part] of parts.entries()) {
    const next = strings[index + 1] ?? ""
    if (typeof part === "object") {
      words.push(word)
      figures.push(part)
      word = next
    } else word += `${typeof part === "number" ? round(part) : part}${next}`
  }
  const [first = word, ...others] = [...words, word]
  return { words: [first, ...others], figures }
}

/** A line as a person reads it. */
export const text = ({ figures, words: [first, ...others] }: Line): string =>
  others.reduce((said, word, index) => {
    const figure = figures[index]
    return `${said}${figure === undefined ? "" : figure.show(figure.value)}${word}`
  }, first)

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN

const sameAs = (one: Line, other: Line | undefined): Line => {
  if (other?.words.join("…") !== one.words.join("…")) throw new Error(`A round does not say: ${text(one)}`)
  return other
}

/** The lines of several rounds as one: each figure is the median of its own. Throws where the rounds do not say the same lines. */
export const medians = (rounds: ReadonlyArray<ReadonlyArray<Line>>): ReadonlyArray<Line> => {
  const longest = rounds.reduce((one, other) => (other.length > one.length ? other : one), [])
  return longest.map((one, index) => {
    const alike = rounds.map((lines) => sameAs(one, lines[index]))
    const valuesOf = (nth: number) => alike.flatMap(({ figures }) => figures[nth]?.value ?? [])
    return { ...one, figures: one.figures.map((figure, nth) => ({ ...figure, value: median(valuesOf(nth)) })) }
  })
}
