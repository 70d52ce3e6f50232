import { guardValues } from "./readableValues.ts"
import type { Migration } from "./Migration.ts"

/** What adjustments have taken out of suspense without naming the arrival: one that is taken back as the service's own may be what they took. */
export const suspenseTaken: Migration = {
  id: 93,
  name: "suspense_taken",
  statements: (sql) => [
    sql`create table suspense_taken (
      tenant_id uuid not null,
      currency text not null,
      units numeric not null constraint suspense_taken_not_below_zero check (units >= 0),
      constraint suspense_taken_pkey primary key (tenant_id, currency)
    )`,
    // an adjustment by operators says against which account, or between which; an arrival that is taken back says neither
    sql`insert into suspense_taken (tenant_id, currency, units)
      select l.tenant_id, l.currency, sum(l.units) from ledger_leg l
      join operation o on o.tenant_id = l.tenant_id and o.operation_id = l.operation_id
      where l.account = 'suspense' and l.direction = 'DEBIT' and o.kind = 'ADJUSTMENT'
        and coalesce(o.details->>'against', o.details->>'moved') is not null and o.details->>'assigns' is null
      group by l.tenant_id, l.currency`,
    guardValues(sql)
  ]
}
