import { useVirtualizer } from "@tanstack/react-virtual"
import { type ReactNode, useEffect, useRef } from "react"
import { Shown } from "./Shown.tsx"

/** One column of a list. */
export interface Column<Row> {
  readonly title: string
  readonly of: (row: Row) => ReactNode
  readonly kind?: "amount" | "wrap"
}

/** The height of a row before it is measured, in pixels. */
const rowHeight = 36

/** How many rows a list shows at most without scrolling. */
const visibleRows = 18

interface RowsProps<Row> {
  readonly label: string
  readonly rows: ReadonlyArray<Row>
  readonly columns: ReadonlyArray<Column<Row>>
  readonly keyOf: (row: Row) => string
  /** What to say where there are none. */
  readonly empty: string
  /** The row that the keyboard is at. */
  readonly selected?: number
  /** What to do when the last row comes into view. */
  readonly onEnd?: () => void
}

const Spacer = ({ columns, height }: { readonly columns: number; readonly height: number }) =>
  height <= 0 ? null : (
    <tr className="spacer" aria-hidden>
      <td colSpan={columns} ref={(cell) => void (cell === null || (cell.style.height = `${height}px`))} />
    </tr>
  )

/** A list of any length: only the rows in view are in the page. */
export const Rows = <Row,>({ columns, empty, keyOf, label, onEnd, rows, selected }: RowsProps<Row>) => {
  const scroll = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    onChange: (instance) => {
      const last = instance.getVirtualItems().at(-1)
      if (last !== undefined && last.index >= rows.length - 1) onEnd?.()
    }
  })
  const at = rows[selected ?? -1]
  const atKey = at === undefined ? undefined : keyOf(at)
  // only where the reader has moved: what comes in above moves nothing
  useEffect(() => {
    if (atKey === undefined || selected === undefined) return
    const row = scroll.current?.querySelector(`tr[data-index="${selected}"]`)
    if (row === null) virtual.scrollToIndex(selected)
    const shown = row ?? scroll.current
    shown?.scrollIntoView({ block: "nearest" })
  }, [atKey])
  if (rows.length === 0) return <p className="muted">{empty}</p>
  const items = virtual.getVirtualItems()
  const before = items[0]?.start ?? 0
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0)
  return (
    <div
      className="scroll"
      tabIndex={0}
      role="region"
      aria-label={label}
      ref={(element) => {
        scroll.current = element
        if (element !== null) element.style.maxHeight = `${(visibleRows + 1) * rowHeight}px`
      }}
    >
      <table aria-rowcount={rows.length}>
        <thead>
          <tr>
            {columns.map(({ kind, title }) => (
              <th key={title} scope="col" className={kind}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer columns={columns.length} height={before} />
          {items.flatMap(({ index }) => {
            const row = rows[index]
            return row === undefined
              ? []
              : [
                  <tr
                    key={keyOf(row)}
                    data-index={index}
                    ref={virtual.measureElement}
                    aria-selected={index === selected}
                  >
                    {columns.map(({ kind, of, title }) => (
                      <td key={title} className={kind}>
                        <Shown>{of(row)}</Shown>
                      </td>
                    ))}
                  </tr>
                ]
          })}
          <Spacer columns={columns.length} height={after} />
        </tbody>
      </table>
    </div>
  )
}
