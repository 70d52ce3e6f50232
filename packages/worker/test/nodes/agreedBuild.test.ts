import {
  CannotBuild,
  type ChainSender,
  type Payment,
  type SendOrder,
  type UnsignedTransaction
} from "@bursar/core/port/ChainSender"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { agreedBuild } from "../../src/nodes/agreedBuild.ts"
import { operated, payment, unreachable } from "./operatedNodes.ts"

const order: SendOrder = {
  ...{ from: "0xwallet", guard: { _tag: "Sequence", account: "0xwallet", sequence: 0n }, payments: [payment] },
  ...{ validUntil: 0, salt: 1, drain: false, replacing: null }
}

const unsigned: UnsignedTransaction = { bytes: new Uint8Array(), feeMax: 1n, payments: [payment], validUntil: null }

const cannot = (reason: CannotBuild["reason"]) =>
  new CannotBuild({ network: "ethereum", reason, detail: `for ${reason}`, missing: null })

/** A payment that a node does not build because of its receiver, and that one of another operator does not build for a reason, or builds. */
const building = (reason: CannotBuild["reason"] | undefined) => {
  const { logged, several, calls } = operated({
    first: { build: () => Effect.fail(cannot("destination_invalid")) },
    second: {
      build: () => (reason === undefined ? Effect.succeed(unsigned) : Effect.fail(cannot(reason)))
    }
  })
  return { calls, logged, builds: agreedBuild(several)(order) }
}

describe("a payment that a node does not build because of its receiver", () => {
  const large: Payment = { ...payment, units: 1_000n }
  const others: Readonly<Record<string, SendOrder>> = {
    "a smaller payment to the receiver is built": order,
    "the same is paid from another wallet": { ...order, payments: [large], from: "0xanother" },
    "a transaction that pays the same is replaced": { ...order, payments: [large], replacing: new Uint8Array() }
  }
  for (const [what, other] of Object.entries(others))
    it.effect(`gives back what it has reserved after two minutes, although ${what} meanwhile`, () => {
      const first: ChainSender["build"] = (asked) =>
        asked === other ? Effect.succeed(unsigned) : Effect.fail(cannot("destination_invalid"))
      const { several } = operated({ first: { build: first }, second: { build: () => Effect.fail(unreachable) } })
      const build = agreedBuild(several)
      return Effect.gen(function* () {
        for (let n = 0; n < 2; n++) {
          assert.deepInclude(yield* Effect.flip(build({ ...order, payments: [large] })), { reason: "unreachable" })
          yield* build(other)
          yield* TestClock.adjust("1 minute")
        }
        assert.deepInclude(yield* Effect.flip(build({ ...order, payments: [large] })), { reason: "node_unreadable" })
      })
    })
})

describe("a node that cannot build a payment for a reason that says nothing of its receiver", () => {
  for (const reason of ["insufficient_wallet", "fee_capped", "asset_blocked"] as const) {
    it.effect(`neither contradicts nor confirms that the receiver cannot be paid (${reason})`, () => {
      const { builds, calls, logged } = building(reason)
      return Effect.gen(function* () {
        for (let n = 0; n < 2; n++) {
          const refused = yield* Effect.flip(builds)
          assert.deepInclude(refused, { _tag: "ChainError", reason: "unreachable" })
          assert.include(refused.message, reason)
          yield* TestClock.adjust("1 minute")
        }
        const { detail, ...late } = yield* Effect.flip(builds)
        assert.include(detail, reason)
        assert.deepInclude(late, { _tag: "CannotBuild", reason: "node_unreadable", retryAfterMs: 120_000 })
        assert.strictEqual(calls(), 0)
      }).pipe(Effect.provide(logged))
    })
  }

  it.effect("has it tried again the later, the longer that lasts, and every hour in the end", () => {
    const { builds, logged } = building("fee_capped")
    return Effect.gen(function* () {
      yield* Effect.flip(builds)
      for (const hours of [0.5, 1, 1]) {
        yield* TestClock.adjust(hours * 3_600_000)
        const retryAfterMs = hours * 3_600_000
        assert.deepInclude(yield* Effect.flip(builds), { reason: "node_unreadable", retryAfterMs })
      }
    }).pipe(Effect.provide(logged))
  })

  it.effect("contradicts it where it can build it, and confirms it where it says so too", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* Effect.flip(building(undefined).builds), { reason: "inconsistent" })
      assert.deepInclude(yield* Effect.flip(building("destination_invalid").builds), { _tag: "CannotBuild" })
    })
  )
})
