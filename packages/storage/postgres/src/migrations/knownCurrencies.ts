import type { Migration } from "./Migration.ts"
import { guardValues } from "./readableValues.ts"

/**
 * What the currencies of the database are: their assets, their decimals, and where they are real. Nothing in the tables before says so:
 * the first start of a service of this version binds what its configuration says.
 */
export const knownCurrencies: Migration = {
  id: 79,
  name: "known currencies",
  statements: (sql) => [
    sql`create table currency (
      code text not null,
      network text,
      contract text,
      decimals integer not null,
      environment text,
      first_seen timestamptz(3) not null,
      constraint currency_pkey primary key (code),
      constraint currency_environment check (environment in ('LIVE', 'SANDBOX')),
      constraint currency_network_whole check ((network is null) = (environment is null))
    )`,
    guardValues(sql)
  ]
}
