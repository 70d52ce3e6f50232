import type { Migration } from "./Migration.ts"

/** Whose turn it is to call a provider with a key, and the number of the last call. */
export const callTurns: Migration = {
  id: 26,
  name: "call_turns",
  statements: (sql) => [
    sql`create table call_turn (
      key text not null,
      number bigint not null,
      token uuid,
      held_until timestamptz,
      constraint call_turn_pkey primary key (key),
      constraint call_turn_held_whole check (num_nulls(token, held_until) in (0, 2))
    ) with (fillfactor = 50)`
  ]
}
