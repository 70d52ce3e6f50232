import type { Migration } from "./Migration.ts"
import { guardValues } from "./readableValues.ts"

/**
 * When an operator last suspended a tenant or lowered a setting of it. Of tenants from before it is not known, so they were lowered just now: what was half
 * approved then and would undo it is proposed again.
 */
export const loweredTenants: Migration = {
  id: 89,
  name: "lowered_tenants",
  statements: (sql) => [
    sql`alter table tenant add column lowered_at timestamptz(3) default now()`,
    sql`alter table tenant alter column lowered_at drop default`,
    guardValues(sql)
  ]
}
