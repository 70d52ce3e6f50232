import { of } from "@bursar/core/money/Amount"
import { refused, unknown } from "@bursar/core/port/ProviderResult"
import type { TransferState } from "@bursar/core/port/FiatProvider"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { beginTransfer } from "@bursar/core/transfer/beginTransfer"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { returnWatchMs } from "@bursar/core/transfer/transferQueue"
import { transferQueue } from "@bursar/core/transfer/Transfer"
import { payerAsStored } from "@bursar/testkit/fixtures/FakeFiat"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import {
  accept,
  eventsOf,
  float,
  hear,
  paidIn,
  payer,
  referenceOf,
  says,
  send,
  store,
  submit,
  baseRequest,
  wrong
} from "./world.ts"

const run = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, store)

describe("a transfer out", () => {
  it.effect("holds amount and fee, and spends them when it settles", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const operation = yield* send(tenant)
        assert.deepStrictEqual(yield* float(tenant), [89_900n, 10_100n])
        for (const status of ["AWAITING_FUNDS", "IN_REVIEW", "PROCESSING", "SENT"] as const)
          assert.strictEqual((yield* hear(tenant, operation, says(status))).status, status)
        const after = yield* hear(tenant, operation, says("SETTLED", { received: of(10_000n, "EUR") }))
        assert.deepStrictEqual(
          [after.status, after.providerReference, after.toAmount],
          ["SETTLED", referenceOf(operation), of(10_000n, "EUR")]
        )
        assert.deepStrictEqual(yield* float(tenant), [89_900n, 0n])
        assert.deepStrictEqual(yield* eventsOf(tenant, operation), ["payout.settled"])
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("that comes back after it had settled gives the amount back and keeps the fee", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const source = yield* paidIn(tenant)
        const operation = yield* send(tenant, { kind: "REFUND", refund: { refundOf: source.id, name: "" } })
        assert.strictEqual(operation.customerFee.units, 0n, "a REFUND has no price")
        const charged = yield* send(tenant)
        for (const one of [operation, charged]) {
          yield* hear(tenant, one, says("SETTLED"))
          yield* hear(tenant, one, says("RETURNED"))
          yield* hear(tenant, one, says("RETURNED"))
          assert.deepStrictEqual(yield* eventsOf(tenant, one), ["payout.settled", "payout.returned"])
        }
        assert.deepStrictEqual(yield* float(tenant), [109_800n, 0n])
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  for (const [trigger, answer, event] of [
    ["fails", says("FAILED"), "payout.failed"],
    ["comes back before it settled", says("RETURNED"), "payout.returned"],
    ["was never taken", refused("no"), "payout.failed"]
  ] as const) {
    it.effect(`that ${trigger} gives everything back`, () =>
      run(
        Effect.gen(function* () {
          const tenant = yield* payer()
          const operation = yield* send(tenant)
          yield* hear(tenant, operation, answer)
          assert.deepStrictEqual(yield* float(tenant), [100_000n, 0n])
          assert.deepStrictEqual(yield* eventsOf(tenant, operation), [event])
          const late = yield* hear(tenant, operation, says("SETTLED"))
          assert.notStrictEqual(late.status, "SETTLED", "what is over stays so")
          assert.deepStrictEqual(yield* float(tenant), [100_000n, 0n])
          assert.deepStrictEqual(yield* wrong(tenant), [])
        })
      )
    )
  }

  it.effect("is flagged once while nothing is known, keeps its hold, and only a definite answer clears it", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const operation = yield* send(tenant)
        for (const answer of [unknown("timeout"), unknown("503"), says("UNRESOLVED")]) {
          const after = yield* hear(tenant, operation, answer)
          assert.deepStrictEqual([after.status, after.unresolved], ["ACCEPTED", true])
        }
        assert.deepStrictEqual(yield* float(tenant), [89_900n, 10_100n])
        const known = yield* hear(tenant, operation, says("PROCESSING"))
        assert.deepStrictEqual(
          [known.status, known.unresolved, known.providerReference],
          ["PROCESSING", false, referenceOf(operation)]
        )
        yield* hear(tenant, operation, unknown("again"))
        const denied = yield* hear(tenant, operation, refused("there is no such order"))
        assert.deepStrictEqual([denied.status, denied.unresolved], ["PROCESSING", true], "it has had the order")
        yield* hear(tenant, operation, says("SETTLED"))
        assert.deepStrictEqual(yield* eventsOf(tenant, operation), [
          "payout.unresolved",
          "payout.unresolved",
          "payout.settled"
        ])
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("is not moved by what goes backwards, and not failed after it had settled", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const operation = yield* send(tenant)
        yield* hear(tenant, operation, says("SENT"))
        for (const status of ["PROCESSING", "IN_REVIEW", "AWAITING_FUNDS"] as const)
          assert.strictEqual((yield* hear(tenant, operation, says(status))).status, "SENT")
        yield* hear(tenant, operation, says("SETTLED"))
        assert.isFalse((yield* hear(tenant, operation, says("SENT"))).unresolved)
        assert.isFalse((yield* hear(tenant, operation, unknown("503"))).unresolved)
        const failed = yield* hear(tenant, operation, says("FAILED"))
        assert.deepStrictEqual([failed.status, failed.unresolved], ["SETTLED", true])
        const cleared = yield* hear(tenant, operation, says("SETTLED"))
        assert.deepStrictEqual([cleared.status, cleared.unresolved], ["SETTLED", false])
        assert.deepStrictEqual(yield* float(tenant), [89_900n, 0n])
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("pays another currency where that was agreed, and says what was received", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const operation = yield* send(tenant, {
          kind: "OFF_RAMP",
          amount: of(10_000_000n, "USDC_BASE"),
          toCurrency: "EUR"
        })
        assert.strictEqual(operation.toAmountQuoted, null)
        const after = yield* hear(tenant, operation, says("SETTLED", { received: of(900n, "EUR") }))
        assert.deepStrictEqual(after.toAmount, of(900n, "EUR"))
        assert.deepStrictEqual(yield* float(tenant, "USDC_BASE"), [989_900_000n, 0n])
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("is sent once, and looked at for as long as it may come back", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const jobQueue = yield* JobQueue
        const waiting = Effect.map(jobQueue.due(transferQueue, Number.MAX_SAFE_INTEGER, 9), (items) => items.length)
        const operation = yield* accept(tenant)
        assert.strictEqual(
          (yield* submit(
            tenant,
            beginTransfer(operation, { name: "fake", environment: "LIVE" }, payerAsStored(operation))
          ))._tag,
          "Send"
        )
        assert.strictEqual(
          (yield* submit(
            tenant,
            beginTransfer(operation, { name: "fake", environment: "LIVE" }, payerAsStored(operation))
          ))._tag,
          "Ask"
        )
        yield* hear(tenant, operation, says("SETTLED"))
        assert.strictEqual(
          (yield* submit(
            tenant,
            beginTransfer(operation, { name: "fake", environment: "LIVE" }, payerAsStored(operation))
          ))._tag,
          "Ask"
        )
        assert.strictEqual(yield* waiting, 1)
        yield* TestClock.adjust(returnWatchMs)
        yield* hear(tenant, operation, says("SETTLED"))
        assert.strictEqual(yield* waiting, 0)
      })
    )
  )
})

describe("an ON_RAMP", () => {
  const onRamp = { kind: "ON_RAMP", payee: null } as const

  it.effect("holds nothing, and credits what arrived less the fee", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const operation = yield* send(tenant, onRamp)
        assert.strictEqual(operation.status, "AWAITING_FUNDS")
        assert.deepStrictEqual(yield* float(tenant), [100_000n, 0n])
        const after = yield* hear(tenant, operation, says("SETTLED", { received: of(9_000n, "EUR") }))
        assert.deepStrictEqual(after.toAmount, of(9_000n, "EUR"))
        assert.deepStrictEqual(after.customerFee, of(90n, "EUR"), "the fee of what came, not of what was announced")
        assert.deepStrictEqual(yield* float(tenant), [108_910n, 0n])
        assert.deepStrictEqual(yield* eventsOf(tenant, operation), ["transfer.settled"])
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("that the bank takes back is taken back whole, even where it was spent", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const operation = yield* send(tenant, onRamp)
        yield* hear(tenant, operation, says("SETTLED"))
        yield* submit(tenant, adjustFloat({ amount: of(-109_000n, "EUR"), against: "bank", reason: "spent" }))
        assert.deepStrictEqual(yield* float(tenant), [900n, 0n])
        yield* hear(tenant, operation, says("RETURNED"))
        assert.deepStrictEqual(yield* float(tenant), [-9_000n, 0n])
        assert.deepStrictEqual(yield* eventsOf(tenant, operation), ["transfer.settled", "transfer.returned"])
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("that ends before its money came moves nothing", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        for (const answer of [says("FAILED"), says("RETURNED"), refused("no")]) {
          const operation = yield* send(tenant, onRamp)
          yield* hear(tenant, operation, answer)
        }
        assert.deepStrictEqual(yield* float(tenant), [100_000n, 0n])
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )
})

const status: fc.Arbitrary<TransferState["status"]> = fc.constantFrom(
  "AWAITING_FUNDS",
  "IN_REVIEW",
  "PROCESSING",
  "SENT",
  "SETTLED",
  "FAILED",
  "RETURNED",
  "UNRESOLVED"
)

/** Where a transfer stands by what was said of it, as a person would tell it: settled, over, or under way. */
const told = (all: ReadonlyArray<TransferState["status"]>) =>
  all.reduce<"open" | "SETTLED" | "FAILED" | "RETURNED" | "BACK">((now, said) => {
    if (now === "open") return said === "SETTLED" || said === "FAILED" || said === "RETURNED" ? said : now
    return now === "SETTLED" && said === "RETURNED" ? "BACK" : now
  }, "open")

describe("whatever a provider says, in whatever order", () => {
  it("the books are whole, and the float has moved by what became of the transfer", async () => {
    const kinds = fc.constantFrom("OFF_RAMP", "BANK_TRANSFER", "REFUND", "ON_RAMP")
    const lives = fc.array(fc.record({ kind: kinds, said: fc.array(status, { maxLength: 8 }) }), {
      minLength: 1,
      maxLength: 4
    })
    await fc.assert(
      fc.asyncProperty(lives, (all) =>
        Effect.runPromise(
          run(
            Effect.gen(function* () {
              const tenant = yield* payer()
              let [free, held] = [100_000n, 0n]
              for (const { kind, said } of all) {
                const source = kind === "REFUND" ? yield* paidIn(tenant) : undefined
                if (source !== undefined) free += 9_900n
                const refund = source === undefined ? {} : { refund: { refundOf: source.id, name: "" } }
                const operation = yield* send(
                  tenant,
                  baseRequest({ kind, ...refund, ...(kind === "ON_RAMP" && { payee: null }) })
                )
                for (const one of said) yield* hear(tenant, operation, says(one))
                const { amount, customerFee: fee } = operation
                const end = told(said)
                if (kind === "ON_RAMP") {
                  if (end === "SETTLED") free += amount.units - fee.units
                } else {
                  if (end === "open" || end === "SETTLED") free -= amount.units + fee.units
                  if (end === "BACK") free -= fee.units
                  if (end === "open") held += amount.units + fee.units
                }
              }
              assert.deepStrictEqual(yield* float(tenant), [free, held])
              assert.deepStrictEqual(yield* wrong(tenant), [])
            })
          )
        )
      ),
      { numRuns: 150 }
    )
  })
})
