import type { Migration } from "./Migration.ts"

/** An adjustment can name the operation of which it corrects what was booked with a provider, and is compared together with it. */
export const correctedOperations: Migration = {
  id: 97,
  name: "corrected_operations",
  statements: (sql) => [
    sql`alter table float_adjustment add column corrects uuid`,
    sql`create index operation_corrects on operation (tenant_id, (details->>'corrects')) where kind = 'ADJUSTMENT'`
  ]
}
