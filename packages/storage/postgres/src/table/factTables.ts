import type { FactName, FactOf } from "@bursar/core/records"
import * as Cell from "../internal/cells.ts"
import type { Row } from "../internal/cells.ts"

/** How a fact is loaded that all tenants share: `$1` is the keys. */
interface FactTable<A> {
  readonly sql: string
  /** The key, and what holds of it. */
  readonly entry: (row: Row) => readonly [string, A]
}

const tables: { readonly [N in FactName]: FactTable<FactOf<N>> } = {
  leaseEpoch: {
    // the lock keeps a takeover from slipping in between this look and the commit
    sql: "select name, epoch from lease where name = any($1) order by name for share",
    entry: (row) => [Cell.text(row.name), Cell.int(row.epoch)]
  },
  networkHeight: {
    sql: `select network, greatest(cursor_number, latest) as height from network_status
      where network = any($1) and cursor_number is not null`,
    entry: (row) => [Cell.text(row.network), Cell.int(row.height)]
  },
  orderOwner: {
    sql: `select provider_order_key, o.operation_id
      from provider_order_directory join provider_order o using (tenant_id, provider_order_key)
      where provider_order_key = any($1)`,
    entry: (row) => [Cell.text(row.provider_order_key), Cell.text(row.operation_id)]
  },
  payoutsOff: {
    sql: "select network, payouts_off from network_switch where network = any($1)",
    entry: (row) => [Cell.text(row.network), Cell.flag(row.payouts_off)]
  }
}

/** How facts are loaded, by their names. */
export const factTables: ReadonlyMap<string, FactTable<unknown>> = new Map(Object.entries(tables))
