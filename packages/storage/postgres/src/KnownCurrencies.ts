import { environments } from "@bursar/core/base/Environment"
import { KnownCurrencies, type KnownCurrency } from "@bursar/core/port/KnownCurrencies"
import { Effect, Layer } from "effect"
import { Connection } from "./Connection.ts"
import { attempt } from "./internal/attempt.ts"
import type { Row } from "./internal/cells.ts"
import * as Cell from "./internal/cells.ts"

const toKnown = (row: Row): KnownCurrency => ({
  code: Cell.text(row.code),
  network: Cell.textOrNull(row.network),
  contract: Cell.textOrNull(row.contract),
  decimals: Cell.int(row.decimals),
  environment: row.environment === null ? null : Cell.oneOf(environments, row.environment)
})

/** The currencies and what they are bound to. */
export const layer = Layer.effect(
  KnownCurrencies,
  Effect.map(Connection, ({ sql }) =>
    KnownCurrencies.of({
      all: sql<Row>`select * from currency order by code collate "C"`.pipe(
        Effect.map((rows) => rows.map(toKnown)),
        attempt("read the known currencies")
      ),
      bind: (currencies, at) =>
        sql`insert into currency (code, network, contract, decimals, environment, first_seen)
            select code, network, contract, decimals, environment, ${new Date(at)}
            from json_to_recordset(${JSON.stringify(currencies)}::json)
              as given (code text, network text, contract text, decimals integer, environment text)
            on conflict (code) do nothing`.pipe(Effect.asVoid, attempt("bind currencies"))
    })
  )
)
