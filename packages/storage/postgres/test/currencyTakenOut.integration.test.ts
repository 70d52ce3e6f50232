import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { client } from "./client.ts"
import { migratedDatabase } from "./database.ts"

const { url } = await migratedDatabase()

const page = readFileSync(new URL("../../../../docs/operate/running.md", import.meta.url), "utf8")
const [statement = ""] = /^delete from currency c [^;]*/mu.exec(page) ?? []

/** Columns that name a currency and keep it from nothing, each with its reason. */
const exceptions: Readonly<Record<string, string>> = {
  "asset_reservation.currency": "of an operation",
  "balance.currency": "the sum of legs",
  "destination.currency": "has no amount",
  "fee_rule.currency": "its amounts are whole units",
  "fiat_account.currency": "has no amount, and is of money at a bank",
  "intake_cost.currency": "of sweeps",
  "intake_cost.native_asset": "of sweeps",
  "one_node_credit.currency": "of deposits",
  "operation_total.currency": "of operations",
  "past_observation.currency": "is shown for 90 days, and nothing is booked by it",
  "payout.currency": "an operation",
  "place_observation.currency": "made anew at the next comparison",
  "reconciliation_break.currency": "made anew at the next comparison",
  "solvency_leaf.currency": "of balances",
  "solvency_node.currency": "of balances",
  "split_entry.currency": "of an operation",
  "suspense_taken.currency": "of operations",
  "sweep.currency": "of deposits",
  "sweepable_deposit.currency": "of a deposit",
  "unproven_deposit.currency": "of a deposit",
  "unswept_imports.currency": "of deposits"
}

/** What else a row has to say to count. */
const counting = { state: "PROPOSED", expires_at: "2100-01-01T00:00:00Z" }

describe("the statement that takes a currency out of the database", () => {
  it.live("takes none out of which something has an amount, in whatever table", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const sql = yield* client(url)
        const columns = yield* sql<{ readonly table: string; readonly column: string }>`
          select table_name as table, column_name as column from information_schema.columns
          where table_schema = 'public' and column_name ~ '(^|_)(currency|asset)$' order by 1, 2`
        assert.isAbove(columns.length, 30)
        assert.deepStrictEqual(
          Object.keys(exceptions).filter((place) => !columns.some((one) => place === `${one.table}.${one.column}`)),
          []
        )
        const left = Effect.fnUntraced(function* () {
          yield* sql.unsafe(statement)
          return (yield* sql`select from currency where code = 'USDC_ORCHARD'`).length
        })
        const known = sql`insert into currency (code, network, contract, decimals, environment, first_seen)
          values ('USDC_ORCHARD', 'orchard', '0x1', 8, 'SANDBOX', now())`
        yield* known
        assert.strictEqual(yield* left(), 0)
        yield* known
        for (const { column, table } of columns) {
          const place = `${table}.${column}`
          if (place in exceptions) continue
          const row = JSON.stringify({ ...counting, [column]: "USDC_ORCHARD" })
          // a table of the session goes before the real one, and takes a row that says nothing else
          const kept = yield* sql.withTransaction(
            Effect.gen(function* () {
              yield* sql.unsafe(`create temp table ${table} on commit drop as select * from public.${table} limit 0`)
              yield* sql.unsafe(
                `insert into ${table} select * from json_populate_record(null::public.${table}, '${row}')`
              )
              return yield* left()
            })
          )
          assert.strictEqual(kept, 1, place)
        }
      })
    )
  )
})
