import { guardValues } from "./readableValues.ts"
import type { Migration } from "./Migration.ts"

/** What was credited on addresses of imported keys and is not swept yet: whoever handed over the key may move it, so that it backs nothing. */
export const unsweptImports: Migration = {
  id: 71,
  name: "unswept_imports",
  statements: (sql) => [
    sql`create table unswept_imports (
      tenant_id uuid not null,
      currency text not null,
      units numeric not null constraint unswept_imports_not_below_zero check (units >= 0),
      constraint unswept_imports_pkey primary key (tenant_id, currency)
    )`,
    sql`insert into unswept_imports (tenant_id, currency, units)
      select s.tenant_id, s.currency, sum(s.units) from sweepable_deposit s
      where s.address_key ->> '_tag' = 'Imported' and not s.gone and s.booked_by is null
        and not exists (
          select from sweep w
          where w.tenant_id = s.tenant_id and w.sweep_id = s.sweep_id and w.state = 'SWEPT' and w.closed_at is not null)
      group by s.tenant_id, s.currency`,
    guardValues(sql)
  ]
}
