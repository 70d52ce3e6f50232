import type { Migration } from "./Migration.ts"

/** What operators have switched for everybody. */
export const networkSwitches: Migration = {
  id: 23,
  name: "network_switches",
  statements: (sql) => [
    sql`create table network_switch (
      network text not null,
      payouts_off boolean not null,
      reason text,
      changed_by text not null,
      changed_at timestamptz(3) not null,
      constraint network_switch_pkey primary key (network),
      constraint network_switch_reason check (payouts_off = (reason is not null))
    )`
  ]
}
