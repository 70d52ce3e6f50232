import { Usage } from "@bursar/core/limit/Usage"
import * as Cell from "../internal/cells.ts"
import { json, text } from "../internal/columnTypes.ts"
import { column, groupColumn, type RecordTable } from "../internal/Table.ts"

interface StoredBucket {
  readonly from: number
  readonly cents: string
}

/** What was used of rolling limits. */
export const usageTable: RecordTable<Usage> = {
  name: "limit_usage",
  key: ["scope"],
  keyType: text,
  columns: [
    column("scope", text, ({ scope }) => scope),
    column(groupColumn, text, Usage.group),
    column("buckets", json, ({ buckets }) => buckets.map(({ cents, from }) => ({ from, cents: cents.toString() })))
  ],
  read: (row) => ({
    scope: Cell.text(row.scope),
    buckets: Cell.json<ReadonlyArray<StoredBucket>>(row.buckets).map(({ cents, from }) => ({
      from,
      cents: BigInt(cents)
    }))
  })
}
