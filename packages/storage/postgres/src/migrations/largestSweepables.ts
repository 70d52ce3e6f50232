import type { Migration } from "./Migration.ts"

/** The largest deposits of each currency that wait to be swept from an address are found without all the others. */
export const largestSweepables: Migration = {
  id: 91,
  name: "largest_sweepables",
  statements: (sql) => [
    sql`create index sweepable_deposit_largest on sweepable_deposit (tenant_id, record_group, currency, units desc)
      where record_group is not null`,
    // the new one finds the deposits of an address as well
    sql`drop index sweepable_deposit_group`
  ]
}
