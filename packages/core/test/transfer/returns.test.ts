import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { operationEventData } from "@bursar/core/operation/moveOperation"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { emit } from "@bursar/core/engine/emit"
import { ofKind, Operation } from "@bursar/core/operation/Operation"
import { resolutionWatchMs } from "@bursar/core/operation/resolved"
import { createQuote } from "@bursar/core/pricing/createQuote"
import { beginTransfer } from "@bursar/core/transfer/beginTransfer"
import { transferQueue } from "@bursar/core/transfer/Transfer"
import { transferReads } from "@bursar/core/transfer/transferLegs"
import { leftWithReceiver } from "@bursar/core/transfer/transferState"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { balanceOf, eventsOf, float, hear, payer, says, send, store, submit, told, wrong } from "./world.ts"
import { readRecord, putRecord } from "@bursar/core/engine/Records"

const run = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, store)

const back = (units: bigint | null, currency = "EUR") =>
  says("RETURNED", { returned: units === null ? null : of(units, currency) })

describe("a transfer that comes back in part", () => {
  it.effect("is booked once its provider says how much, whatever was wrong with what it said first", () =>
    run(
      Effect.gen(function* () {
        for (const kind of ["BANK_TRANSFER", "OFF_RAMP"] as const)
          for (const first of [back(null), back(2_500n, "USD")]) {
            const tenant = yield* payer()
            const open = yield* hear(tenant, yield* send(tenant, { kind, toCurrency: "EUR" }), first)
            assert.isTrue(open.unresolved)
            // some tell what the receiver has left
            const answer = says("RETURNED", { received: of(7_500n, "EUR"), returned: of(2_500n, "EUR") })
            const after = yield* hear(tenant, open, answer)
            assert.deepStrictEqual([after.status, after.unresolved], ["RETURNED", false])
            assert.deepStrictEqual(yield* wrong(tenant), [])
          }
      })
    )
  )

  it.effect("keeps the reason that was given of a part where none is given of the next", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const sent = yield* send(tenant, { kind: "BANK_TRANSFER", toCurrency: "EUR" })
        const first = says("RETURNED", { returned: of(2_500n, "EUR"), reason: "account closed" })
        const after = yield* hear(tenant, yield* hear(tenant, sent, first), back(5_000n))
        assert.deepStrictEqual([after.details.returned, after.details.failure_detail], ["5000", "account closed"])
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("is judged by what is told as paid out with it, less what came back or not", () =>
    run(
      Effect.gen(function* () {
        for (const [received, isBooked] of [
          [10_000n, true],
          [7_500n, true],
          [5_000n, false]
        ] as const) {
          const tenant = yield* payer()
          const sent = yield* send(tenant, { kind: "BANK_TRANSFER", toCurrency: "EUR" })
          // what was told before counts for less
          const open = yield* hear(tenant, sent, says("SETTLED", { received: of(9_000n, "EUR") }))
          const answer = says("RETURNED", { received: of(received, "EUR"), returned: of(2_500n, "EUR") })
          const after = yield* hear(tenant, open, answer)
          assert.deepStrictEqual([after.status === "RETURNED", after.unresolved], [isBooked, !isBooked])
          assert.deepStrictEqual(yield* wrong(tenant), [])
        }
      })
    )
  )

  it.effect("stays open where too little was said to be paid out before: what came back says nothing of the rest", () =>
    run(
      Effect.gen(function* () {
        // what came back is of what was paid out before: that is not what is left after it
        for (const returned of [1n, 5_000n]) {
          const tenant = yield* payer()
          const sent = yield* send(tenant, { kind: "BANK_TRANSFER", toCurrency: "EUR" })
          const open = yield* hear(tenant, sent, says("SETTLED", { received: of(5_000n, "EUR") }))
          const held = yield* float(tenant)
          const after = yield* hear(tenant, open, back(returned))
          assert.isTrue(after.unresolved)
          assert.match(after.details.unresolved_because ?? "", /50 EUR was paid out of 100 EUR/u)
          assert.deepStrictEqual(yield* float(tenant), held)
        }
      })
    )
  )

  for (const [what, earlier, returned] of [
    ["too little was paid out", [], of(2_500n, "EUR")],
    ["how much came back is not told with what was paid out", [back(null)], null],
    ["it is another currency that came back", [back(2_500n, "USD")], of(2_500n, "USD")]
  ] as const)
    it.effect(`stays open where ${what}, and the provider then says less`, () =>
      run(
        Effect.gen(function* () {
          for (const said of [[], earlier]) {
            const tenant = yield* payer()
            const sent = yield* send(tenant)
            for (const one of said) yield* hear(tenant, sent, one)
            const open = yield* hear(tenant, sent, says("RETURNED", { received: of(5_000n, "EUR"), returned }))
            assert.isTrue(open.unresolved)
            const held = yield* float(tenant)
            const after = yield* hear(tenant, open, back(2_500n))
            assert.isTrue(after.unresolved)
            assert.match(after.details.unresolved_because ?? "", /50 EUR was paid out of 100 EUR/u)
            assert.deepStrictEqual(yield* float(tenant), held)
          }
        })
      )
    )

  it.effect("stays open where less was said to be paid out before than the quote has promised for all of it", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const amount = of(100_000_000n, "USDC_BASE")
        const { id } = yield* submit(
          tenant,
          createQuote({
            product: "OFF_RAMP",
            amount,
            toCurrency: "EUR",
            rate: { price: { units: 92n, decimals: 2 }, source: "test", observedAt: yield* Clock.currentTimeMillis },
            networkFee: null,
            provider: "fake",
            customerId: null,
            rail: null,
            country: null,
            lifetimeMs: 60_000,
            defaultFees: [],
            currencies: defaultCurrencies
          })
        )
        const sent = yield* send(tenant, { kind: "OFF_RAMP", amount, toCurrency: "EUR", quoteId: id })
        const open = yield* hear(tenant, sent, says("SETTLED", { received: of(6_000n, "EUR") }))
        const held = yield* float(tenant, "USDC_BASE")
        const after = yield* hear(tenant, open, back(50_000_000n, "USDC_BASE"))
        assert.isTrue(after.unresolved)
        assert.match(after.details.unresolved_because ?? "", /60 EUR was paid out where at least/u)
        assert.deepStrictEqual(yield* float(tenant, "USDC_BASE"), held)
      })
    )
  )

  it.effect(
    "gives back what came, adds a later part to it, and is asked about until all of it has come and for a while longer",
    () =>
      run(
        Effect.gen(function* () {
          const tenant = yield* payer()
          const jobQueue = yield* JobQueue
          const waiting = Effect.map(jobQueue.due(transferQueue, Number.MAX_SAFE_INTEGER, 9), (items) => items.length)
          const bank = yield* balanceOf(tenant, "bank")
          const operation = yield* send(tenant)
          yield* hear(tenant, operation, says("SETTLED"))
          for (let times = 0; times < 2; times += 1) {
            const after = yield* hear(tenant, operation, back(7_000n))
            assert.deepStrictEqual([after.status, after.details.returned], ["RETURNED", "7000"])
            assert.deepStrictEqual(leftWithReceiver(after, after.toAmount), of(3_000n, "EUR"))
            assert.deepStrictEqual(yield* float(tenant), [96_900n, 0n])
            assert.strictEqual(yield* balanceOf(tenant, "bank"), bank - 3_000n)
          }
          yield* hear(tenant, operation, says("SETTLED"))
          assert.strictEqual(
            (yield* submit(tenant, beginTransfer(operation, { name: "fake", environment: "LIVE" })))._tag,
            "Ask"
          )
          assert.strictEqual(yield* waiting, 1)
          yield* hear(tenant, operation, back(10_000n))
          assert.deepStrictEqual(yield* float(tenant), [99_900n, 0n], "the fee stays")
          assert.strictEqual(yield* waiting, 1)
          yield* TestClock.adjust(resolutionWatchMs)
          assert.strictEqual(
            (yield* submit(tenant, beginTransfer(operation, { name: "fake", environment: "LIVE" })))._tag,
            "Nothing"
          )
          assert.strictEqual(yield* waiting, 0)
          assert.deepStrictEqual(
            (yield* told(tenant, operation)).map(({ data, kind }) => [kind, data["amount"]]),
            [
              ["payout.settled", "100"],
              ["payout.returned", "70"],
              ["payout.returned", "30"]
            ],
            "each event tells what moved with it"
          )
          assert.deepStrictEqual(yield* wrong(tenant), [])
        })
      )
  )

  it.effect("before it was seen to settle gives back that part, and the rest is paid out with its fee", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const operation = yield* send(tenant)
        yield* hear(tenant, operation, says("SENT"))
        yield* hear(tenant, operation, back(7_000n))
        assert.deepStrictEqual(yield* float(tenant), [96_900n, 0n])
        yield* hear(tenant, operation, back(10_000n))
        assert.deepStrictEqual(yield* float(tenant), [99_900n, 0n])
        assert.deepStrictEqual(yield* eventsOf(tenant, operation), ["payout.returned", "payout.returned"])
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  for (const [what, answer] of [
    ["how much is not told", back(null)],
    ["nothing is told", back(0n)],
    ["it is more than was paid", back(10_001n)],
    ["it is another currency", back(5_000n, "USD")]
  ] as const)
    for (const settled of [true, false])
      it.effect(`moves nothing where ${what}${settled ? "" : ", before it settled either"}`, () =>
        run(
          Effect.gen(function* () {
            const tenant = yield* payer()
            const operation = yield* send(tenant)
            if (settled) yield* hear(tenant, operation, says("SETTLED"))
            const before = yield* float(tenant)
            const after = yield* hear(tenant, operation, answer)
            assert.deepStrictEqual([after.status, after.unresolved], [settled ? "SETTLED" : "ACCEPTED", true])
            assert.deepStrictEqual(yield* float(tenant), before)
            assert.deepStrictEqual(yield* wrong(tenant), [])
            const known = yield* hear(tenant, operation, back(10_000n))
            assert.deepStrictEqual([known.status, known.unresolved], ["RETURNED", false])
            assert.deepStrictEqual(yield* float(tenant), [settled ? 99_900n : 100_000n, 0n])
            assert.deepStrictEqual(yield* wrong(tenant), [])
          })
        )
      )

  it.effect("does not take back what the provider says less of later", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const operation = yield* send(tenant)
        yield* hear(tenant, operation, says("SETTLED"))
        yield* hear(tenant, operation, back(7_000n))
        const after = yield* hear(tenant, operation, back(6_999n))
        assert.deepStrictEqual([after.status, after.unresolved], ["RETURNED", true])
        assert.deepStrictEqual(yield* float(tenant), [96_900n, 0n])
        assert.isFalse((yield* hear(tenant, operation, back(7_000n))).unresolved)
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )
})

describe("an ON_RAMP of which the bank takes back a part", () => {
  const onRamp = { kind: "ON_RAMP", payee: null } as const

  it.effect("loses that part and keeps the fee of what stays, whatever comes of the rest", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const bank = yield* balanceOf(tenant, "bank")
        const operation = yield* send(tenant, onRamp)
        yield* hear(tenant, operation, says("SETTLED"))
        yield* hear(tenant, operation, back(7_050n))
        // 29.50 stays, of which 0.295 is the fee: the part of a cent is the tenant's
        assert.deepStrictEqual(yield* float(tenant), [102_921n, 0n])
        assert.strictEqual(yield* balanceOf(tenant, "fees"), 29n)
        assert.strictEqual(yield* balanceOf(tenant, "bank"), bank + 2_950n)
        yield* hear(tenant, operation, back(10_000n))
        assert.deepStrictEqual(yield* float(tenant), [100_000n, 0n], "fee and all")
        assert.strictEqual(yield* balanceOf(tenant, "fees"), 0n)
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("that was credited by the rule of old, with what was quoted, loses what it was credited", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const before = [yield* float(tenant), yield* balanceOf(tenant, "bank"), yield* balanceOf(tenant, "fees")]
        const sent = yield* send(tenant, onRamp)
        const operation: Operation = {
          ...sent,
          status: "SETTLED",
          settledAt: sent.createdAt,
          toAmount: of(10_000n, "EUR"),
          details: { ...ofKind(sent, "ON_RAMP").details, arrived: "1" }
        }
        const leg = { currency: "EUR", what: "principal" } as const
        yield* submit(tenant, {
          name: "SettleOfOld",
          reads: [readRecord(Operation, sent.id), ...transferReads(sent)],
          decide: (view) =>
            Result.succeed({
              changes: [
                putRecord(Operation, operation),
                emit(view, "transfer.settled", operation.id, operationEventData(operation, defaultCurrencies)),
                {
                  _tag: "Posted",
                  operationId: operation.id,
                  legs: [
                    { ...leg, account: "bank", direction: "DEBIT", units: 1n },
                    { ...leg, account: "float:available", direction: "CREDIT", units: 10_000n },
                    { ...leg, account: "fees", direction: "DEBIT", units: 9_999n },
                    { ...leg, account: "float:available", direction: "DEBIT", units: 100n, what: "fee" },
                    { ...leg, account: "fees", direction: "CREDIT", units: 100n, what: "fee" }
                  ]
                }
              ],
              reply: undefined
            })
        })
        assert.deepStrictEqual(yield* wrong(tenant), [])
        yield* hear(tenant, operation, back(1n))
        const after = [yield* float(tenant), yield* balanceOf(tenant, "bank"), yield* balanceOf(tenant, "fees")]
        assert.deepStrictEqual(after, before)
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect(
    "in another currency than was announced, before anybody knew that it had come, is over and moves nothing",
    () =>
      run(
        Effect.gen(function* () {
          const tenant = yield* payer()
          const before = [yield* float(tenant), yield* balanceOf(tenant, "bank")]
          const operation = yield* send(tenant, onRamp)
          const answer = says("RETURNED", { received: of(9_000n, "USD"), returned: of(9_000n, "USD") })
          const after = yield* hear(tenant, operation, answer)
          assert.deepStrictEqual([after.status, after.unresolved], ["RETURNED", false])
          assert.deepStrictEqual([yield* float(tenant), yield* balanceOf(tenant, "bank")], before)
          assert.deepStrictEqual(
            (yield* told(tenant, operation)).map(({ data, kind }) => [kind, data["amount"], data["currency"]]),
            [["transfer.returned", "90", "USD"]]
          )
          assert.deepStrictEqual(yield* wrong(tenant), [])
        })
      )
  )

  it.effect("in another currency in part stands in suspense with the rest", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const operation = yield* send(tenant, onRamp)
        const answer = says("RETURNED", { received: of(9_000n, "USD"), returned: of(4_000n, "USD") })
        const after = yield* hear(tenant, operation, answer)
        assert.strictEqual(after.status, "RETURNED")
        assert.deepStrictEqual(yield* float(tenant), [100_000n, 0n])
        assert.deepStrictEqual(yield* balanceOf(tenant, "bank", "USD"), 5_000n)
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("before it was credited is credited with the rest where that is told, and is open where it is not", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const operation = yield* send(tenant, onRamp)
        const open = yield* hear(tenant, operation, back(7_000n))
        assert.deepStrictEqual([open.status, open.unresolved], ["AWAITING_FUNDS", true])
        const answer = says("RETURNED", { received: of(10_000n, "EUR"), returned: of(7_000n, "EUR") })
        yield* hear(tenant, operation, answer)
        assert.deepStrictEqual(yield* float(tenant), [102_970n, 0n])
        assert.deepStrictEqual(yield* eventsOf(tenant, operation), [
          "transfer.unresolved",
          "transfer.settled",
          "transfer.returned"
        ])
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )
})
