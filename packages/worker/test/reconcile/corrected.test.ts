import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { putRecord } from "@bursar/core/engine/Records"
import { Writer } from "@bursar/core/engine/Writer"
import { of } from "@bursar/core/money/Amount"
import { Operation } from "@bursar/core/operation/Operation"
import { Custodian } from "@bursar/core/port/Custodian"
import { NetworkSwitches } from "@bursar/core/port/NetworkSwitches"
import type { ToldLine } from "@bursar/core/port/ProviderStatement"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { writing } from "@bursar/testkit/fixtures/commands"
import { makeFakeCustodian } from "@bursar/testkit/fixtures/FakeCustodian"
import { bareOperation } from "@bursar/testkit/fixtures/records"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { begin, oneProcess, ticks } from "../watch/world.ts"
import { allBreaks, observationOf, observedAgain, reconciling, untilBreaks } from "./world.ts"

const kraken = "custodian:kraken"

const graceMs = 30_000

/** A provider whose books a test writes: what it holds is what its lines come to. */
const makeBooks = () => {
  const lines: Array<ToldLine> = []
  let made = 0
  const holds = (currency: string) =>
    lines.filter((line) => line.currency === currency).reduce((sum, { units }) => sum + units, 0n)
  return {
    lines,
    holds,
    write: (units: bigint, references: ReadonlyArray<string> = [], currency = "BTC") =>
      Effect.map(Clock.currentTimeMillis, (at) => {
        made += 1
        const line: ToldLine = { id: `L${made}`, at, currency, units, references, text: "" }
        lines.push(line)
        return line
      }),
    statement: (since: number, before: number) =>
      Effect.sync(() => lines.filter(({ at }) => at >= since && at < before))
  }
}

type Books = ReturnType<typeof makeBooks>

const nothingOrdered = () => assert.fail("nothing is ordered")

const custodianOf = ({ holds, statement }: Books, currencies: ReadonlyArray<string> = ["BTC"]) =>
  Custodian.of({
    ...makeFakeCustodian(nothingOrdered, [], undefined, "kraken").provider,
    assets: Effect.succeed(currencies.map((currency) => ({ currency, withdrawable: true, pool: currency }))),
    balances: Effect.sync(() => new Map(currencies.map((currency) => [currency, holds(currency)]))),
    statement
  })

/** Books an order with the provider that is over. */
const order = Effect.fnUntraced(function* (id: TenantId, units: bigint, more: Partial<Operation> = {}) {
  const status = more.status ?? "SETTLED"
  const written = yield* (yield* Writer).submit(
    id,
    writing(
      (view) => {
        const operation = bareOperation(view, {
          kind: "WITHDRAWAL",
          provider: "kraken",
          amount: of(units < 0n ? -units : units, "BTC"),
          status,
          settledAt: status === "PROCESSING" ? null : view.now,
          ...more
        })
        const leg = { currency: "BTC", units: units < 0n ? -units : units, what: "principal" } as const
        const [from, to] = units < 0n ? (["custodian", "suspense"] as const) : (["suspense", "custodian"] as const)
        return [
          putRecord(Operation, operation),
          ...(status === "SETTLED"
            ? [
                {
                  _tag: "Posted",
                  operationId: operation.id,
                  happened: true,
                  legs: [
                    { ...leg, account: to, direction: "DEBIT" },
                    { ...leg, account: from, direction: "CREDIT" }
                  ]
                } as const
              ]
            : [])
        ]
      },
      (["custodian", "suspense:custodian", "suspense"] as const).map(
        (account) => ({ _tag: "Balance", account, currency: "BTC" }) as const
      )
    )
  )
  return (
    written.flatMap((change) => ("record" in change ? [change.record] : []))[0] ?? assert.fail("nothing was written")
  )
})

/** A custodian that the service has had 1 000 at since before its first statement, and that is looked at. */
const opened = Effect.fnUntraced(function* (
  more: Parameters<typeof reconciling>[1] = {},
  networkFeeBorneBy: Custodian["Service"]["networkFeeBorneBy"] = "RECEIVER"
) {
  yield* begin
  const books = makeBooks()
  const { id } = yield* newTenant()
  yield* (yield* Writer).submit(id, adjustFloat({ amount: of(1_000n, "BTC"), against: "custodian", reason: "funded" }))
  yield* books.write(1_000n, ["funding"])
  yield* ticks(2)
  const custodian = Custodian.of({ ...custodianOf(books), networkFeeBorneBy })
  yield* Effect.forkScoped(
    Effect.provideService(reconciling([], { statementGraceMs: graceMs, ...more }), Custodian, custodian)
  )
  yield* observedAgain(kraken, "BTC")
  yield* ticks(2)
  return { books, id }
})

const openOnes = Effect.map(allBreaks, (all) => all.filter(({ closedAt }) => closedAt === null))

/** Lets all pass for which a statement is waited. */
const afterGrace = ticks(graceMs / 1_000 + 15)

describe("what an operator has corrected at a custodian", () => {
  it.effect("is no break any more where an order was paid twice, once what has truly left is booked", () =>
    Effect.gen(function* () {
      const { books, id } = yield* opened()
      const { id: about } = yield* order(id, -40n, { providerReference: "w" })
      yield* books.write(-40n, ["w"])
      yield* ticks(10)
      yield* books.write(-40n, ["w"])
      yield* untilBreaks(1)
      yield* afterGrace
      assert.deepStrictEqual(
        (yield* openOnes).map((one) => [one.units, one.about?.id]),
        [[40n, about]]
      )
      // it does not come back: the books are corrected
      const lost = {
        amount: of(-40n, "BTC"),
        against: "custodian",
        corrects: about,
        reason: "paid twice, and gone"
      } as const
      yield* (yield* Writer).submit(id, adjustFloat(lost))
      yield* ticks(300)
      assert.strictEqual((yield* observationOf(kraken, "BTC"))?.observed, 920n)
      assert.deepStrictEqual(
        (yield* openOnes).map((one) => [one.units, one.about?.id]),
        []
      )
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("is none of an order that it never carried out, once that is booked back", () =>
    Effect.gen(function* () {
      const { books, id } = yield* opened()
      const { id: about } = yield* order(id, -40n, { providerReference: "w" })
      yield* afterGrace
      yield* ticks(60)
      assert.deepStrictEqual(
        (yield* openOnes).map((one) => [one.units, one.about?.id]),
        [[-40n, about]]
      )
      const back = { amount: of(40n, "BTC"), against: "custodian", corrects: about, reason: "never left" } as const
      yield* (yield* Writer).submit(id, adjustFloat(back))
      yield* ticks(300)
      assert.strictEqual((yield* observationOf(kraken, "BTC"))?.observed, 1_000n)
      assert.strictEqual(books.holds("BTC"), 1_000n)
      assert.deepStrictEqual(
        (yield* openOnes).map((one) => [one.units, one.about?.id]),
        []
      )
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("does not stop the custodian for all tenants by that correction", () =>
    Effect.gen(function* () {
      const { id } = yield* opened({ onAlarm: "stop_payouts", alarmAfterMs: 0 })
      const { id: about } = yield* order(id, -40n, { providerReference: "w" })
      yield* afterGrace
      yield* ticks(60)
      const stopped = Effect.map(
        Effect.flatMap(NetworkSwitches, ({ all }) => all),
        (all) => all.some(({ payoutsOff }) => payoutsOff)
      )
      assert.isFalse(yield* stopped, "what is too much stops nothing")
      const back = { amount: of(40n, "BTC"), against: "custodian", corrects: about, reason: "never left" } as const
      yield* (yield* Writer).submit(id, adjustFloat(back))
      yield* ticks(300)
      assert.strictEqual((yield* observationOf(kraken, "BTC"))?.observed, 1_000n)
      assert.isFalse(yield* stopped)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect(
    "is a break of what was corrected where corrections come to more, until what is too much is taken back",
    () =>
      Effect.gen(function* () {
        const { id } = yield* opened()
        const { id: about } = yield* order(id, -40n, { providerReference: "w" })
        yield* afterGrace
        yield* ticks(60)
        const correct = Effect.fnUntraced(function* (units: bigint) {
          const more = {
            amount: of(units, "BTC"),
            against: "custodian",
            corrects: about,
            reason: "never left"
          } as const
          yield* (yield* Writer).submit(id, adjustFloat(more))
          yield* ticks(120)
          return (yield* openOnes).map((one) => [one.units, one.about?.id])
        })
        const of20 = [20n, about]
        assert.deepInclude(yield* correct(60n), of20, "a larger one")
        assert.deepStrictEqual(yield* correct(-20n), [], "as much is taken back")
        assert.deepInclude(yield* correct(20n), of20, "a second one")
        assert.deepStrictEqual(yield* correct(-20n), [])
      }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("is a break where it names an order that was carried out, to hide what it takes", () =>
    Effect.gen(function* () {
      const { books, id } = yield* opened()
      const { id: about } = yield* order(id, -40n, { providerReference: "w" })
      yield* books.write(-40n, ["w"])
      yield* afterGrace
      assert.deepStrictEqual(yield* openOnes, [])
      const taken = { amount: of(40n, "BTC"), against: "custodian", corrects: about, reason: "never left" } as const
      yield* (yield* Writer).submit(id, adjustFloat(taken))
      yield* afterGrace
      yield* ticks(120)
      assert.deepInclude(
        (yield* openOnes).map((one) => [one.units, one.about?.id]),
        [40n, about]
      )
    }).pipe(Effect.provide(oneProcess()))
  )
})
