import type { SqlClient } from "effect/sql/SqlClient"
import type { Migration } from "./Migration.ts"

/** What was observed, or that nothing was, and nothing else: of a `case` without an `else` a check takes every other text. */
const knownObservation = (sql: SqlClient, table: string) => [
  sql`alter table ${sql(table)} drop constraint place_observation_whole`,
  sql`alter table ${sql(table)} add constraint place_observation_whole check (
    case observation
      when 'observed' then observed is not null and difference is not null and difference = ledger - in_flight - observed
      when 'unsupported' then num_nulls(observed, difference) = 2
      else false
    end) not valid`
]

/** No row tells an observation that no program knows: one of a place that nobody looks at any more would stand for ever. Rows that are there already are not looked at. */
export const knownObservations: Migration = {
  id: 94,
  name: "known_observations",
  statements: (sql) => [...knownObservation(sql, "place_observation"), ...knownObservation(sql, "past_observation")]
}
