import { countsOf, unbackedOf } from "../storage/unsweptImports.ts"
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
    // processes of the release before write none
    sql`alter table sweepable_deposit add column unbacked numeric not null default 0
      constraint sweepable_deposit_unbacked_within check (unbacked between 0 and units)`,
    sql.unsafe(unbackedOf("true")),
    sql.unsafe(countsOf("true")),
    guardValues(sql)
  ]
}
