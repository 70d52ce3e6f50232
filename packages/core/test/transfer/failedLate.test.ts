import { of } from "@bursar/core/money/Amount"
import { resolutionWatchMs } from "@bursar/core/operation/resolved"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { refused } from "@bursar/core/port/ProviderResult"
import { beginTransfer } from "@bursar/core/transfer/beginTransfer"
import { transferQueue } from "@bursar/core/transfer/Transfer"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { eventsOf, float, hear, payer, says, send, store, submit, wrong } from "./world.ts"

const run = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, store)

const waiting = Effect.flatMap(JobQueue, (jobQueue) =>
  Effect.map(jobQueue.due(transferQueue, Number.MAX_SAFE_INTEGER, 9), (items) => items.length)
)

describe("a transfer of which the provider says that it failed", () => {
  for (const [what, order] of [
    ["an ON_RAMP", { kind: "ON_RAMP", payee: null }],
    ["a BANK_TRANSFER", {}]
  ] as const)
    it.effect(`is asked about for a while; that ${what} settled after all is noted once and books nothing`, () =>
      run(
        Effect.gen(function* () {
          const tenant = yield* payer()
          const operation = yield* send(tenant, order)
          const failed = yield* hear(tenant, operation, says("FAILED", { reason: "no such account" }))
          assert.strictEqual(failed.status, "FAILED")
          assert.strictEqual(yield* waiting, 1)
          assert.strictEqual(
            (yield* submit(tenant, beginTransfer(failed, { name: "fake", environment: "LIVE" })))._tag,
            "Ask"
          )
          const booked = yield* float(tenant)
          // the same told again is no news
          assert.isUndefined((yield* hear(tenant, failed, says("FAILED"))).details.contradiction)
          for (let times = 0; times < 2; times += 1) {
            const after = yield* hear(tenant, failed, says("SETTLED"))
            assert.strictEqual(after.status, "FAILED")
            assert.deepInclude(after.details.contradiction, { said: "it says SETTLED with 10000 base units of EUR" })
          }
          assert.deepStrictEqual(yield* float(tenant), booked)
          assert.lengthOf(yield* eventsOf(tenant, operation), 1)
          assert.deepStrictEqual(yield* wrong(tenant), [])
          yield* TestClock.adjust(resolutionWatchMs)
          assert.strictEqual(
            (yield* submit(tenant, beginTransfer(failed, { name: "fake", environment: "LIVE" })))._tag,
            "Nothing"
          )
          assert.strictEqual(yield* waiting, 0)
          assert.deepStrictEqual(yield* wrong(tenant), [])
        })
      )
    )

  for (const [what, order, currency, settledFirst] of [
    ["an ON_RAMP came back whole before it settled", { kind: "ON_RAMP", payee: null }, "EUR", false],
    ["a BANK_TRANSFER came back whole before it settled", {}, "EUR", false],
    ["an ON_RAMP came back whole after it settled", { kind: "ON_RAMP", payee: null }, "EUR", true],
    ["a BANK_TRANSFER came back whole after it settled", {}, "EUR", true]
  ] as const)
    it.effect(`${what}: that it settled after all is noted and books nothing`, () =>
      run(
        Effect.gen(function* () {
          const tenant = yield* payer()
          const operation = yield* send(tenant, order)
          if (settledFirst) yield* hear(tenant, operation, says("SETTLED"))
          const back = yield* hear(tenant, operation, says("RETURNED", { returned: of(10_000n, currency) }))
          assert.strictEqual(back.status, "RETURNED")
          assert.strictEqual(yield* waiting, 1)
          const booked = yield* float(tenant)
          assert.isUndefined((yield* hear(tenant, back, says("RETURNED"))).details.contradiction)
          const after = yield* hear(tenant, back, says("SETTLED"))
          assert.strictEqual(after.status, "RETURNED")
          assert.deepInclude(after.details.contradiction, { said: "it says SETTLED with 10000 base units of EUR" })
          assert.deepStrictEqual(yield* float(tenant), booked)
          assert.deepStrictEqual(yield* wrong(tenant), [])
          yield* TestClock.adjust(resolutionWatchMs)
          assert.strictEqual(
            (yield* submit(tenant, beginTransfer(back, { name: "fake", environment: "LIVE" })))._tag,
            "Nothing"
          )
          assert.strictEqual(yield* waiting, 0)
        })
      )
    )

  it.effect("is noted where the provider says later that less came back than it had said, or something else", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        for (const [order, returned, received, told] of [
          [{}, of(4_000n, "EUR"), null, "4000 base units of EUR came back"],
          [{}, of(10_000n, "USD"), null, "10000 base units of USD came back"],
          [
            { kind: "ON_RAMP", payee: null },
            of(10_000n, "EUR"),
            of(15_000n, "EUR"),
            "10000 base units of EUR came back, and 15000 base units of EUR had moved"
          ]
        ] as const) {
          const operation = yield* send(tenant, order)
          const back = yield* hear(tenant, operation, says("RETURNED", { returned: of(10_000n, "EUR") }))
          assert.strictEqual(back.status, "RETURNED")
          const again = says("RETURNED", { returned: of(10_000n, "EUR"), received: null })
          assert.isUndefined((yield* hear(tenant, back, again)).details.contradiction)
          const after = yield* hear(tenant, back, says("RETURNED", { returned, received }))
          assert.deepInclude(after.details.contradiction, { said: `it says RETURNED, and not of all: ${told}` })
          assert.deepStrictEqual(yield* wrong(tenant), [])
        }
      })
    )
  )

  it.effect("is noted where it came back in part of what was ordered, whatever the receiver is said to have got", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        for (const [returned, said] of [
          [of(10_000n, "EUR"), undefined],
          [
            of(9_000n, "EUR"),
            "it says RETURNED, and not of all: 9000 base units of EUR came back, and 9000 base units of EUR had moved"
          ]
        ] as const) {
          const operation = yield* send(tenant)
          const failed = yield* hear(tenant, operation, says("FAILED"))
          const after = yield* hear(tenant, failed, says("RETURNED", { returned, received: of(9_000n, "EUR") }))
          assert.strictEqual(after.details.contradiction?.said, said)
          assert.deepStrictEqual(yield* wrong(tenant), [])
        }
      })
    )
  )

  it.effect("is not asked about where the provider never took the order", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const operation = yield* send(tenant)
        assert.strictEqual((yield* hear(tenant, operation, refused("closed"))).status, "FAILED")
        assert.strictEqual(yield* waiting, 0)
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )
})
