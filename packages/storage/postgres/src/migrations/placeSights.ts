import { guardValues } from "./readableValues.ts"
import type { Migration } from "./Migration.ts"

/** When places were last looked at whole, whichever process looked: a change of leaders began the time anew for which nobody had seen them. */
export const placeSights: Migration = {
  id: 96,
  name: "place_sights",
  statements: (sql) => [
    sql`create table place_sight (
      tenant_id uuid not null,
      name text not null,
      seen_at timestamptz(3) not null,
      constraint place_sight_pkey primary key (tenant_id, name)
    )`,
    guardValues(sql)
  ]
}
