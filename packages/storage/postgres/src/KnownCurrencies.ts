import { environments } from "@bursar/core/base/Environment"
import { currencyConflicts, KnownCurrencies, type KnownCurrency } from "@bursar/core/port/KnownCurrencies"
import { Data, Effect, Layer } from "effect"
import { Connection } from "./Connection.ts"
import { attempt, attemptChange } from "./internal/attempt.ts"
import type { Row } from "./internal/cells.ts"
import * as Cell from "./internal/cells.ts"

const toKnown = (row: Row): KnownCurrency => ({
  code: Cell.text(row.code),
  network: Cell.textOrNull(row.network),
  contract: Cell.textOrNull(row.contract),
  decimals: Cell.int(row.decimals),
  environment: row.environment === null ? null : Cell.oneOf(environments, row.environment)
})

/** Takes back what was bound beside codes that are known as something else. */
class Conflicts extends Data.TaggedError("Conflicts")<{ readonly known: ReadonlyArray<KnownCurrency> }> {}

/** The currencies and what they are bound to. */
export const layer = Layer.effect(
  KnownCurrencies,
  Effect.map(Connection, ({ sql }) => {
    const all = Effect.map(sql<Row>`select * from currency order by code collate "C"`, (rows) => rows.map(toKnown))
    return KnownCurrencies.of({
      all: attempt("read the known currencies")(all),
      inBooks: sql<Row>`select distinct currency from balance order by currency`.pipe(
        Effect.map((rows) => rows.map(({ currency }) => Cell.text(currency))),
        attempt("read the currencies of the balances")
      ),
      bind: Effect.fnUntraced(
        function* (currencies, at) {
          // in order: two that bind at once wait for each other in one direction alone
          yield* sql`insert into currency (code, network, contract, decimals, environment, first_seen)
            select code, network, contract, decimals, environment, ${new Date(at)}
            from json_to_recordset(${JSON.stringify(currencies)}::json)
              as given (code text, network text, contract text, decimals integer, environment text)
            order by code on conflict (code) do nothing`
          const known = currencyConflicts(yield* all, currencies)
          return known.length > 0 ? yield* new Conflicts({ known }) : []
        },
        sql.withTransaction,
        Effect.catchTag("Conflicts", ({ known }) => Effect.succeed(known)),
        attemptChange("bind currencies")
      )
    })
  })
)
