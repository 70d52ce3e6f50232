import type { SqlClient } from "effect/sql/SqlClient"
import type { Migration } from "./Migration.ts"

/** What a column of a type may hold so that it can be read: moments that are ones and that a `Date` holds, whole numbers, and numbers that are exact in a program. */
const conditions = `case a.atttypid
  when 'timestamptz'::regtype then format('(isfinite(%1$I) and %1$I <= ''275760-09-13T00:00:00Z'')', a.attname)
  when 'numeric'::regtype then format('(%1$I %% 1 = 0)', a.attname)
  when 'int8'::regtype then format('(%1$I between -9007199254740991 and 9007199254740991)', a.attname)
end`

/**
 * Lets every table refuse values that no program can read, such as the moment `infinity` or the amount `NaN`: whoever writes to the database
 * could stop with one row what reads the rows of all tenants together. Can be repeated: a migration that adds a table or a column of these types
 * ends with it. Rows that are there already are not looked at.
 */
export const guardValues = (sql: SqlClient) =>
  sql.unsafe(`do $$
  declare one record;
  begin
    for one in
      select c.oid::regclass as place, left(c.relname, 54) || '_readable' as name,
        string_agg(${conditions}, ' and ' order by a.attnum) as condition
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'bursar_migration'
        and a.atttypid in ('timestamptz'::regtype, 'numeric'::regtype, 'int8'::regtype)
      group by c.oid, c.relname
    loop
      execute format('alter table %s drop constraint if exists %I', one.place, one.name);
      execute format('alter table %s add constraint %I check (%s) not valid', one.place, one.name, one.condition);
    end loop;
  end $$`)

/** No row holds what cannot be read, and what is read for all tenants together has the form that it is read in. */
export const readableValues: Migration = {
  id: 57,
  name: "readable_values",
  statements: (sql) => [
    guardValues(sql),
    sql`alter table webhook_endpoint add constraint webhook_endpoint_kinds_listed check (kinds is null or
      (json_typeof(kinds) = 'array' and not kinds::jsonb @? 'strict $[*] ? (@.type() <> "string")')) not valid`,
    sql`alter table tenant add constraint tenant_policy_listed check (json_typeof(policy) = 'object' and
      not policy::jsonb @? 'lax $.ipAllowlist ? (@.type() <> "string" && @.type() <> "null")') not valid`
  ]
}
