import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"

/** The oldest `server_version_num` with `pg_restore_attribute_stats`. */
const restoresStatistics = 180_000

/**
 * Tells the planner that one tenant may own every row of a table that nobody has analysed yet. Of a new table it knows
 * nothing, and takes any index that begins with `tenant_id` for as good as the primary key. It keeps such a plan, also for
 * foreign keys, which then read all rows of a tenant for each row that is written, until autovacuum looks at the table.
 * A server older than PostgreSQL 18 cannot be told. Of what others keep in the same schema nothing is said.
 */
export const describeNewTables = (sql: PgClient.PgClient) =>
  sql`
  do $$
  begin
    if current_setting('server_version_num')::integer >= ${sql.literal(String(restoresStatistics))} then
      perform pg_restore_attribute_stats(
        'schemaname', n.nspname::text, 'relname', c.relname::text, 'attname', a.attname::text, 'inherited', false,
        'null_frac', 0::real, 'avg_width', 16, 'n_distinct', 1::real)
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
      where c.relkind = 'r' and n.nspname = current_schema() and c.reltuples < 0
        and a.atttypid = 'uuid'::regtype and pg_has_role(c.relowner, 'usage')
      order by c.oid;
    end if;
  end $$`.pipe(Effect.asVoid)
