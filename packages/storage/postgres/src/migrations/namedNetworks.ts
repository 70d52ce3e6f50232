import type { Migration } from "./Migration.ts"

/** Names of networks are the configuration's: no list of them stands in the tables any more. */
export const namedNetworks: Migration = {
  id: 35,
  name: "named_networks",
  statements: (sql) => [
    sql`do $$
      declare one record;
      begin
        for one in
          select conrelid::regclass as place, conname from pg_constraint
          where contype = 'c' and connamespace = current_schema()::regnamespace
            and (conname like '%\_network\_known' or conname = 'issuing_account_family_known')
        loop
          execute format('alter table %s drop constraint %I', one.place, one.conname);
        end loop;
      end
    $$`
  ]
}
