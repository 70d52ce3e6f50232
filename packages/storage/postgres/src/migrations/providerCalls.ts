import type { Migration } from "./Migration.ts"
import { guardValues } from "./readableValues.ts"

/** What providers were asked for operations and answered. Old ones are found by their age: rows stand in the order of their time. */
export const providerCalls: Migration = {
  id: 66,
  name: "provider_calls",
  statements: (sql) => [
    sql`create table provider_call (
      tenant_id uuid not null,
      operation_id uuid not null,
      number integer not null,
      provider text not null,
      call text not null,
      outcome text not null,
      asked json not null,
      answered json not null,
      at timestamptz(3) not null,
      last_at timestamptz(3) not null,
      times integer not null,
      duration_ms bigint not null,
      constraint provider_call_pkey primary key (tenant_id, operation_id, number),
      constraint provider_call_outcome check (outcome in ('Done', 'Refused', 'Unknown')),
      constraint provider_call_times check (times >= 1)
    )`,
    sql`create index provider_call_age on provider_call using brin (at) with (pages_per_range = 32)`,
    guardValues(sql)
  ]
}
