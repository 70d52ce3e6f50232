import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { SuiteIt } from "../harness.ts"
import { type SenderFeature, SenderWorld } from "./SenderWorld.ts"
import { anOrder, gained, paymentOf, sentOrder, signedBy, signedOrder, unitsPaid } from "./steps.ts"

/** Replacements, rivals and expiry: what is proof that a transaction can never take effect, and what is none. */
export const invalidatedTests = (
  it: SuiteIt<SenderWorld>,
  timeoutMs: number,
  has: ReadonlyArray<SenderFeature>
): void => {
  if (has.includes("replacement")) {
    it.effect(
      "replaces a transaction by one that bids more under the same token, so that one of them is paid",
      () =>
        Effect.gen(function* () {
          const world = yield* SenderWorld
          const { finalize, format, include, sender } = world
          const order = yield* anOrder()
          const more = yield* gained(
            paymentOf(order).to,
            null,
            Effect.gen(function* () {
              const before = yield* sender.build(order)
              const first = yield* sentOrder(order)
              const unsigned = yield* sender.build({ ...order, replacing: first.raw })
              assert.isTrue(unsigned.feeMax > before.feeMax)
              assert.deepStrictEqual(
                Result.getOrThrow(format.read(unsigned.bytes)).payments.filter(({ to }) => to !== order.from),
                order.payments
              )
              const second = signedBy(world, unsigned)
              assert.notStrictEqual(second.hash, first.hash)
              assert.deepStrictEqual(yield* sender.broadcast(second.raw), { _tag: "Accepted" })
              assert.strictEqual((yield* sender.status(order, [first, second]))._tag, "Pending")
              yield* include
              yield* finalize
              const status = yield* sender.status(order, [first, second])
              assert.strictEqual(status._tag === "Final" ? status.hash : status._tag, second.hash)
              const late = yield* sender.broadcast(first.raw)
              if (late._tag === "Rejected") assert.strictEqual(late.reason, "guard_used")
              assert.deepStrictEqual(yield* sender.status(order, [first, second]), status)
            })
          )
          assert.strictEqual(more, unitsPaid)
        }),
      timeoutMs
    )

    it.effect(
      "finds that the replaced transaction was the one that came into a block",
      () =>
        Effect.gen(function* () {
          const world = yield* SenderWorld
          const { finalize, include, sender } = world
          const order = yield* anOrder()
          const first = yield* sentOrder(order)
          // Stored, as it has to be before it is sent, and then not sent in time.
          const second = signedBy(world, yield* sender.build({ ...order, replacing: first.raw }))
          yield* include
          yield* finalize
          const status = yield* sender.status(order, [first, second])
          assert.strictEqual(status._tag === "Final" ? status.hash : status._tag, first.hash)
        }),
      timeoutMs
    )
  }

  if (has.includes("rival")) {
    it.effect(
      "proves a transaction impossible once another one that used up its token is final, not before",
      () =>
        Effect.gen(function* () {
          const { finalAfter, finalize, include, rival, sender } = yield* SenderWorld
          const order = yield* anOrder()
          const signed = yield* signedOrder(order)
          const by = yield* rival(order)
          for (let after = 0; after < finalAfter; after++) {
            for (const early of [yield* sender.status(order, [signed]), yield* sender.status(order, [signed])])
              assert.strictEqual(early._tag, "Pending", `${after} blocks after its rival`)
            yield* include
          }
          const early = yield* sender.status(order, [signed])
          // Where a block is final at once there is no early.
          if (early._tag !== "Invalidated") assert.strictEqual(early._tag, "Pending")
          yield* finalize
          const status = yield* sender.status(order, [signed])
          if (status._tag !== "Invalidated") return assert.fail(status._tag)
          assert.strictEqual(status.reason, "replaced_on_chain")
          if (status.by !== null) assert.strictEqual(status.by, by)
          const answer = yield* sender.broadcast(signed.raw)
          assert.notStrictEqual(answer._tag, "Accepted")
        }),
      timeoutMs
    )

    if (has.includes("reorg")) {
      it.effect(
        "lets a transaction take effect after all when the block of its rival is replaced",
        () =>
          Effect.gen(function* () {
            const { finalize, include, reorg, rival, sender } = yield* SenderWorld
            const order = yield* anOrder()
            const signed = yield* signedOrder(order)
            yield* rival(order)
            assert.strictEqual((yield* sender.status(order, [signed]))._tag, "Pending")
            yield* reorg
            assert.strictEqual((yield* sender.broadcast(signed.raw))._tag, "Accepted")
            yield* include
            yield* finalize
            assert.strictEqual((yield* sender.status(order, [signed]))._tag, "Final")
          }),
        timeoutMs
      )
    }
  }

  if (has.includes("expiry")) {
    it.effect(
      "says until when a transaction is valid, and proves it impossible after that, not before",
      () =>
        Effect.gen(function* () {
          const { expire, include, sender } = yield* SenderWorld
          const order = yield* anOrder()
          const signed = yield* signedOrder(order)
          assert.isNotNull(signed.validUntil)
          assert.isAtMost(signed.validUntil, order.validUntil)
          yield* include
          assert.strictEqual((yield* sender.status(order, [signed]))._tag, "Pending")
          yield* expire(signed)
          const status = yield* sender.status(order, [signed])
          if (status._tag !== "Invalidated") return assert.fail(status._tag)
          assert.strictEqual(status.reason, "expired_unsent")
          assert.notStrictEqual((yield* sender.broadcast(signed.raw))._tag, "Accepted")
        }),
      timeoutMs
    )

    it.effect(
      "does not call a transaction expired that came into a block in time",
      () =>
        Effect.gen(function* () {
          const { expire, include, sender } = yield* SenderWorld
          const order = yield* anOrder()
          const signed = yield* sentOrder(order)
          yield* include
          yield* expire(signed)
          const status = yield* sender.status(order, [signed])
          assert.strictEqual(status._tag === "Final" ? status.effect : status._tag, "done")
        }),
      timeoutMs
    )
  } else {
    it.effect(
      "has no time after which a transaction is not valid",
      () =>
        Effect.gen(function* () {
          assert.isNull((yield* signedOrder(yield* anOrder())).validUntil)
        }),
      timeoutMs
    )
  }
}
