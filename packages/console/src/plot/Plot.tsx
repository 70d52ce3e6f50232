import { memo, useId } from "react"
import { Chart } from "./Chart.tsx"
import type { Line } from "./steps.ts"

const local = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" })

/** Values over time as lines, with the same as a table for whoever does not see lines, or wants the figures. */
export const Plot = memo(
  ({
    lines,
    show = String,
    times,
    title
  }: {
    readonly title: string
    readonly times: ReadonlyArray<number>
    readonly lines: ReadonlyArray<Line>
    readonly show?: (value: number) => string
  }) => {
    const id = useId()
    return (
      <figure className="plot card" aria-labelledby={id}>
        <figcaption id={id}>{title}</figcaption>
        {lines.length === 0 ? (
          <p className="muted">Nothing in this time.</p>
        ) : (
          <>
            <Chart times={times} lines={lines} show={show} />
            <ul className="legend">
              {lines.map(({ label }, index) => (
                <li key={label} className={`line-${(index % 6) + 1}`}>
                  {label}
                </li>
              ))}
            </ul>
            <details>
              <summary>As a table</summary>
              <div className="scroll" tabIndex={0} role="region" aria-label={`${title}, as a table`}>
                <table>
                  <thead>
                    <tr>
                      <th scope="col">From</th>
                      {lines.map(({ label }) => (
                        <th key={label} scope="col" className="amount">
                          {label}
                        </th>
                      ))}
                    </tr>
                  </thead>
                  <tbody>
                    {times.map((time, index) => (
                      <tr key={time}>
                        <th scope="row">{local.format(time * 1_000)}</th>
                        {lines.map(({ label, texts, values }) => (
                          <td key={label} className="amount">
                            {texts?.[index] ?? values[index] ?? "–"}
                          </td>
                        ))}
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            </details>
          </>
        )}
      </figure>
    )
  }
)
