import { placeReads } from "@bursar/core/ledger/coverShortfall"
import type { LegMoment } from "@bursar/core/ledger/LegMoment"
import { Queries } from "@bursar/core/store/Queries"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { adjust, writing } from "../../fixtures/commands.ts"
import { bareOperation } from "../../fixtures/records.ts"
import { commitAt, newTenant, past } from "../../fixtures/tenants.ts"
import type { QueriesIt } from "./ports.ts"
import { putRecord } from "@bursar/core/engine/Records"
import { Operation } from "@bursar/core/operation/Operation"

/** The float and its statement. */
export const floatTests = (it: QueriesIt, timeoutMs: number): void => {
  it.effect(
    "the float is every balance of the float accounts, by currency, and of no other account",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant({ createdAt: past })
        const queries = yield* Queries
        assert.deepStrictEqual(yield* queries.float(id), [])
        const hold = writing(
          (view) => {
            const operation = bareOperation(view)
            const leg = { currency: "ETH", units: 2n, what: "hold" } as const
            return [
              putRecord(Operation, operation),
              {
                _tag: "Posted",
                operationId: operation.id,
                legs: [
                  { ...leg, account: "float:available", direction: "DEBIT" },
                  { ...leg, account: "float:held", direction: "CREDIT" }
                ]
              }
            ]
          },
          [
            { _tag: "Balance", account: "float:available", currency: "ETH" },
            { _tag: "Balance", account: "float:held", currency: "ETH" }
          ]
        )
        yield* commitAt(id, past, adjust(7n), adjust(3n, "BTC"), hold)
        assert.deepStrictEqual(yield* queries.float(id), [
          { account: "float:available", currency: "BTC", units: 3n, version: 1 },
          { account: "float:available", currency: "ETH", units: 5n, version: 2 },
          { account: "float:held", currency: "ETH", units: 2n, version: 1 }
        ])
      }),
    timeoutMs
  )

  it.effect(
    "a statement can be paged however many legs share a millisecond",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant({ createdAt: past })
        const queries = yield* Queries
        yield* commitAt(id, past, adjust(1n))
        yield* commitAt(id, past + 1, ...Array.from({ length: 7 }, () => adjust(1n)))
        yield* commitAt(id, past + 1, ...Array.from({ length: 5 }, () => adjust(1n)))
        yield* commitAt(id, past + 2, adjust(1n), adjust(1n))
        const seen: Array<bigint> = []
        const moments = new Set<string>()
        let since: LegMoment | undefined
        for (let page = 0; page < 20; page++) {
          const { movements, opening, truncated } = yield* queries.statement(id, { currency: "ETH", since, limit: 3 })
          assert.strictEqual(opening, (movements[0]?.leg.balance ?? 0n) - 1n)
          const fresh = since === undefined ? movements : movements.slice(1)
          for (const { leg, nth } of fresh) {
            seen.push(leg.balance)
            moments.add(`${leg.postedAt} ${nth}`)
          }
          const last = movements.at(-1)
          if (!truncated || last === undefined) break
          const until = { at: last.leg.postedAt, nth: last.nth }
          const before = yield* queries.statement(id, { currency: "ETH", since, until, limit: 100 })
          assert.strictEqual(before.movements.length, movements.length - 1)
          since = until
        }
        assert.deepStrictEqual(
          seen,
          Array.from({ length: 15 }, (_, index) => BigInt(index + 1))
        )
        assert.strictEqual(moments.size, 15)
        const beyond = yield* queries.statement(id, { currency: "ETH", since: { at: past + 1, nth: 500 }, limit: 100 })
        assert.deepStrictEqual([beyond.opening, beyond.movements.length], [13n, 2])
      }),
    timeoutMs
  )

  it.effect(
    "a statement shows the legs between two moments, and what was there before and after them",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant({ createdAt: past })
        const queries = yield* Queries
        for (const [minute, units] of [10n, 20n, -5n, 100n].entries()) {
          yield* commitAt(id, past + minute * 60_000, adjust(units), adjust(1n, "BTC"))
        }
        const show = (query: {
          readonly since?: number
          readonly until?: number
          readonly limit?: number
          readonly currency?: string
        }) =>
          Effect.map(
            queries.statement(id, {
              currency: query.currency ?? "ETH",
              limit: query.limit ?? 100,
              since: query.since === undefined ? undefined : { at: query.since, nth: 0 },
              until: query.until === undefined ? undefined : { at: query.until, nth: 0 }
            }),
            ({ closing, movements, opening, truncated }) => {
              for (const { leg, operation } of movements) assert.strictEqual(leg.operationId, operation?.id)
              return { opening, closing, truncated, balances: movements.map(({ leg }) => leg.balance) }
            }
          )
        const minute = (count: number) => past + count * 60_000
        assert.deepStrictEqual(yield* show({}), {
          opening: 0n,
          closing: 125n,
          truncated: false,
          balances: [10n, 30n, 25n, 125n]
        })
        assert.deepStrictEqual(yield* show({ since: minute(1), until: minute(3) }), {
          opening: 10n,
          closing: 25n,
          truncated: false,
          balances: [30n, 25n]
        })
        assert.deepStrictEqual(yield* show({ limit: 2 }), {
          opening: 0n,
          closing: 30n,
          truncated: true,
          balances: [10n, 30n]
        })
        assert.deepStrictEqual(yield* show({ limit: 4 }), {
          opening: 0n,
          closing: 125n,
          truncated: false,
          balances: [10n, 30n, 25n, 125n]
        })
        assert.deepStrictEqual(yield* show({ since: minute(1) + 1, until: minute(2) }), {
          opening: 30n,
          closing: 30n,
          truncated: false,
          balances: []
        })
        assert.deepStrictEqual(yield* show({ until: minute(0) }), {
          opening: 0n,
          closing: 0n,
          truncated: false,
          balances: []
        })
        assert.deepStrictEqual(yield* show({ since: minute(9) }), {
          opening: 125n,
          closing: 125n,
          truncated: false,
          balances: []
        })
        assert.deepStrictEqual(yield* show({ currency: "XLM" }), {
          opening: 0n,
          closing: 0n,
          truncated: false,
          balances: []
        })
      }),
    timeoutMs
  )

  it.effect(
    "suspense is told in every currency, and its lines of all accounts go on behind each of their places",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant({ createdAt: past })
        const { id: other } = yield* newTenant({ createdAt: past })
        const queries = yield* Queries
        const lost = writing(
          (view) => {
            const operation = bareOperation(view)
            const leg = { currency: "OLDT_ORCHARD", units: 4n, what: "principal" } as const
            return [
              putRecord(Operation, operation),
              {
                _tag: "Posted",
                operationId: operation.id,
                legs: [
                  { ...leg, account: "suspense:bank", direction: "DEBIT" },
                  { ...leg, account: "suspense", direction: "CREDIT" }
                ]
              }
            ]
          },
          [
            { _tag: "Balance", account: "suspense:bank", currency: "OLDT_ORCHARD" },
            { _tag: "Balance", account: "suspense", currency: "OLDT_ORCHARD" }
          ]
        )
        const against = { from: "suspense", against: "custodian" } as const
        yield* commitAt(id, past, adjust(7n, "ETH", against), adjust(9n), lost, adjust(2n, "ETH", against))
        yield* commitAt(id, past + 10, adjust(3n, "BTC", against))
        const standing = yield* queries.suspense(id)
        assert.deepStrictEqual(
          standing.map(({ account, currency, version }) => [account, currency, version]),
          [
            ["suspense", "BTC", 1],
            ["suspense", "ETH", 2],
            ["suspense", "OLDT_ORCHARD", 1],
            ["suspense:bank", "OLDT_ORCHARD", 1]
          ]
        )
        const lines = yield* queries.suspenseLines(id, { limit: 10 })
        assert.deepStrictEqual(
          lines.map(({ leg, operation }) => [leg.account, leg.currency, leg.units, operation?.id === leg.operationId]),
          [
            ["suspense", "BTC", 3n, true],
            ["suspense", "ETH", 2n, true],
            ["suspense", "OLDT_ORCHARD", 4n, true],
            ["suspense:bank", "OLDT_ORCHARD", 4n, true],
            ["suspense", "ETH", 7n, true]
          ]
        )
        // the newest line of each has what stands there
        for (const { account, currency, units } of standing)
          assert.strictEqual(
            lines.find(({ leg }) => leg.account === account && leg.currency === currency)?.leg.balance,
            units
          )
        for (const [index, { leg: after }] of lines.entries())
          assert.deepStrictEqual(
            yield* queries.suspenseLines(id, { after, limit: 2 }),
            lines.slice(index + 1, index + 3)
          )
        assert.deepStrictEqual(yield* queries.suspense(other), [])
        assert.deepStrictEqual(yield* queries.suspenseLines(other, { limit: 10 }), [])
      }),
    timeoutMs
  )

  it.effect(
    "the lines of an account come newest first, of that account and currency alone",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant({ createdAt: past })
        const { id: other } = yield* newTenant({ createdAt: past })
        const queries = yield* Queries
        const account = `account:${id}` as const
        const arrive = (units: bigint, to: typeof account | "account:other", currency = "EUR") =>
          writing(
            (view) => {
              const operation = bareOperation(view, { amount: { units, currency } })
              const leg = { currency, units, what: "principal" } as const
              return [
                putRecord(Operation, operation),
                {
                  _tag: "Posted",
                  operationId: operation.id,
                  legs: [
                    { ...leg, account: "bank", direction: "DEBIT" },
                    { ...leg, account: to, direction: "CREDIT" }
                  ]
                }
              ]
            },
            [...placeReads("bank", currency), { _tag: "Balance", account: to, currency }]
          )
        yield* commitAt(id, past, arrive(5n, account), arrive(7n, "account:other"), arrive(9n, account, "GBP"))
        yield* commitAt(id, past + 10, arrive(6n, account))
        const show = (limit: number, currency = "EUR") =>
          Effect.map(queries.accountLines(id, { account, currency, limit }), (lines) =>
            lines.map(({ leg, operation }) => {
              assert.strictEqual(leg.operationId, operation?.id)
              return [leg.version, leg.units, leg.balance, leg.direction, leg.postedAt]
            })
          )
        assert.deepStrictEqual(yield* show(9), [
          [2, 6n, 11n, "CREDIT", past + 10],
          [1, 5n, 5n, "CREDIT", past]
        ])
        assert.deepStrictEqual(yield* show(1), [[2, 6n, 11n, "CREDIT", past + 10]])
        assert.deepStrictEqual(yield* show(9, "GBP"), [[1, 9n, 9n, "CREDIT", past]])
        assert.deepStrictEqual(yield* queries.accountLines(other, { account, currency: "EUR", limit: 9 }), [])
      }),
    timeoutMs
  )
}
