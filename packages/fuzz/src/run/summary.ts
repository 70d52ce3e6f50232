import type { Outcome } from "./runCalls.ts"

/** How often each status came, by operation, as a table; the last row is the sum. */
export const summary = ({ statuses }: Outcome): string => {
  const columns = [...new Set([...statuses.values()].flatMap((row) => [...row.keys()]))].toSorted()
  const totals = new Map<string, number>()
  const rows = [...statuses]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, row]) => {
      for (const [status, times] of row) totals.set(status, (totals.get(status) ?? 0) + times)
      return [name, ...columns.map((status) => String(row.get(status) ?? ""))]
    })
  const table = [
    ["operation", ...columns],
    ...rows,
    ["all", ...columns.map((status) => String(totals.get(status) ?? 0))]
  ]
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? []
  return table
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join("  ")
    )
    .join("\n")
}
