import { bindingConflict, KnownNetworks, type KnownNetwork } from "@bursar/core/port/KnownNetworks"
import { Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { Connection } from "./Connection.ts"
import { attempt, attemptChange } from "./internal/attempt.ts"
import type { Row } from "./internal/cells.ts"
import * as Cell from "./internal/cells.ts"

const toKnown = (row: Row): KnownNetwork => {
  const [family, id] = [Cell.textOrNull(row.family), Cell.textOrNull(row.chain)]
  return {
    name: Cell.text(row.name),
    chain: family === null || id === null ? null : { family, id },
    firstSeen: Cell.at(row.first_seen)
  }
}

const isTaken = (error: SqlError): boolean => error.reason._tag === "UniqueViolation"

/** The names of networks and their chains. */
export const layer = Layer.effect(
  KnownNetworks,
  Effect.map(Connection, ({ sql }) => {
    const all = Effect.map(sql<Row>`select * from network order by name`, (rows) => rows.map(toKnown))
    return KnownNetworks.of({
      all: attempt("read the known networks")(all),
      note: (names, at) =>
        sql`insert into network (name, first_seen) select name, ${new Date(at)} from unnest(${[...names]}::text[]) as name
            on conflict (name) do nothing`.pipe(Effect.asVoid, attemptChange("remember networks")),
      bind: (name, { family, id }, at) =>
        sql`insert into network (name, first_seen) values (${name}, ${new Date(at)}) on conflict (name) do nothing`.pipe(
          Effect.andThen(
            sql`update network set family = ${family}, chain = ${id} where name = ${name} and chain is null
                and not exists (select from network where family = ${family} and chain = ${id})`
          ),
          // another name was given to the chain at this very moment
          Effect.catchIf(isTaken, () => Effect.void),
          Effect.andThen(all),
          Effect.map((known) => bindingConflict(known, name, { family, id })),
          attemptChange("bind a network to its chain")
        )
    })
  })
)
