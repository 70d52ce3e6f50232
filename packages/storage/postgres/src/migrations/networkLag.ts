import type { Migration } from "./Migration.ts"
import { guardValues } from "./readableValues.ts"

/** How far behind each network was, by the minute: the most of each, for a few weeks. */
export const networkLag: Migration = {
  id: 62,
  name: "network_lag",
  statements: (sql) => [
    sql`create table network_lag (
      network text not null,
      minute timestamptz(3) not null,
      blocks bigint not null,
      constraint network_lag_pkey primary key (network, minute),
      constraint network_lag_not_negative check (blocks >= 0)
    )`,
    guardValues(sql)
  ]
}
