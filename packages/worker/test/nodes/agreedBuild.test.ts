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

/** What a node says that is asked to build something. */
type Says = CannotBuild["reason"] | "silent" | "builds"

const saying = (says: Says): Pick<ChainSender, "build"> => ({
  build: () => {
    if (says === "builds") return Effect.succeed(unsigned)
    return Effect.fail(says === "silent" ? unreachable : cannot(says))
  }
})

/** An order that nodes of two operators are asked to build. */
const asked = (first: Says, second: Says, what: Partial<SendOrder> = {}) => {
  const { several, ...rest } = operated({ first: saying(first), second: saying(second) })
  return { ...rest, builds: agreedBuild(several)({ ...order, ...what }) }
}

/** What keeps the number of an account until it is built. */
const kept: Readonly<Record<string, readonly [CannotBuild["reason"], Partial<SendOrder>]>> = {
  "a payment that is said to cost more than the cap": ["fee_capped", {}],
  "payments that are said to cost more than the cap": ["fee_capped", { payments: [payment, payment] }],
  "trustlines that are said to cost more than the cap": ["fee_capped", { payments: [], trustlines: ["issuer"] }],
  "what only uses a number up": ["insufficient_wallet", { payments: [] }],
  "a higher bid for what has too little coin": ["insufficient_wallet", { replacing: new Uint8Array() }],
  "a higher bid to a receiver that refuses": ["destination_invalid", { replacing: new Uint8Array() }]
}

for (const [what, [refuses, overrides]] of Object.entries(kept))
  describe(`${what}, by the word of one node`, () => {
    it.effect("is built by a node of another operator that can", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* asked(refuses, "builds", overrides).builds, unsigned)
      })
    )

    it.effect("is kept for as long as both say so", () => {
      const { builds, calls, logged } = asked(refuses, refuses, overrides)
      return Effect.gen(function* () {
        for (let hours = 0; hours < 3; hours++) {
          assert.deepInclude(yield* Effect.flip(builds), { _tag: "CannotBuild", reason: refuses })
          yield* TestClock.adjust("1 hour")
        }
        assert.strictEqual(calls("build"), 0)
      }).pipe(Effect.provide(logged))
    })

    it.effect("is kept for two minutes where the other refuses it for another reason, and then calls a person", () => {
      const { builds, calls, logged } = asked(refuses, "asset_blocked", overrides)
      return Effect.gen(function* () {
        for (let n = 0; n < 2; n++) {
          assert.deepInclude(yield* Effect.flip(builds), { _tag: "ChainError", reason: "inconsistent" })
          yield* TestClock.adjust("1 minute")
        }
        assert.strictEqual(calls("build"), 0)
        const late = { _tag: "CannotBuild", reason: "node_unreadable", retryAfterMs: 120_000 } as const
        assert.deepInclude(yield* Effect.flip(builds), late)
        yield* Effect.flip(builds)
        assert.strictEqual(calls("build"), 1)
      }).pipe(Effect.provide(logged))
    })

    it.effect("is kept for two minutes where the other is silent", () => {
      const { builds, calls, logged } = asked(refuses, "silent", overrides)
      return Effect.gen(function* () {
        assert.deepInclude(yield* Effect.flip(builds), { _tag: "ChainError", reason: "unreachable" })
        yield* TestClock.adjust("2 minutes")
        assert.deepInclude(yield* Effect.flip(builds), { _tag: "CannotBuild", reason: "node_unreadable" })
        assert.strictEqual(calls("build"), 0)
      }).pipe(Effect.provide(logged))
    })
  })

for (const refuses of ["insufficient_wallet", "asset_blocked"] as const)
  describe(`a payment that one node refuses because of its wallet (${refuses})`, () => {
    it.effect(
      "gives its number back at once, is tried later and later, and calls a person, where the other builds it",
      () => {
        const { builds, calls, logged } = asked(refuses, "builds")
        return Effect.gen(function* () {
          assert.deepInclude(yield* Effect.flip(builds), { _tag: "CannotBuild", reason: refuses, retryAfterMs: 0 })
          assert.strictEqual(calls("build"), 0)
          for (const hours of [0.5, 1]) {
            yield* TestClock.adjust(hours * 3_600_000)
            assert.deepInclude(yield* Effect.flip(builds), { reason: refuses, retryAfterMs: hours * 3_600_000 })
          }
          assert.strictEqual(calls("build"), 1)
        }).pipe(Effect.provide(logged))
      }
    )

    for (const [what, other] of [
      ["says so, too", refuses],
      ["is silent", "silent"]
    ] as const)
      it.effect(`is tried again as before, and calls nobody, where the other ${what}`, () => {
        const { builds, calls, logged } = asked(refuses, other)
        return Effect.gen(function* () {
          for (let n = 0; n < 3; n++) {
            const refused = yield* Effect.flip(builds)
            assert.deepInclude(refused, { _tag: "CannotBuild", reason: refuses })
            assert.notProperty(refused, "retryAfterMs")
            yield* TestClock.adjust("2 minutes")
          }
          assert.strictEqual(calls("build"), 0)
        }).pipe(Effect.provide(logged))
      })
  })

describe("one of several payments that a node refuses", () => {
  it.effect("is found by trying each by itself, at once", () =>
    Effect.gen(function* () {
      const { builds } = asked("destination_invalid", "builds", { payments: [payment, payment] })
      assert.deepInclude(yield* Effect.flip(builds), { _tag: "CannotBuild", reason: "destination_invalid" })
    })
  )
})

describe("a payment like one that a second node was silent about", () => {
  const large: Payment = { ...payment, units: 1_000n }
  for (const [when, isForgotten] of [
    ["5 days", true],
    ["2 hours", true],
    ["119 minutes", false]
  ] as const)
    it.effect(`${isForgotten ? "has two minutes of its own" : "goes on to wait"} after ${when}`, () => {
      let isSilent = true
      const { logged, several } = operated({
        first: { build: () => Effect.fail(cannot("destination_invalid")) },
        second: { build: () => (isSilent ? Effect.fail(unreachable) : Effect.succeed(unsigned)) }
      })
      const build = agreedBuild(several)({ ...order, payments: [large] })
      return Effect.gen(function* () {
        assert.deepInclude(yield* Effect.flip(build), { reason: "unreachable" })
        yield* TestClock.adjust(when)
        isSilent = false
        assert.deepInclude(yield* Effect.flip(build), { reason: isForgotten ? "inconsistent" : "node_unreadable" })
      }).pipe(Effect.provide(logged))
    })
})
