import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { SuiteIt } from "../harness.ts"
import { type SenderFeature, SenderWorld } from "./SenderWorld.ts"
import { anOrder, gained, paymentOf, sentOrder, signedOrder, unitsPaid } from "./steps.ts"

/** Nodes that do not say the truth, or not in time. */
export const lossTests = (it: SuiteIt<SenderWorld>, timeoutMs: number, has: ReadonlyArray<SenderFeature>): void => {
  it.effect(
    "concludes nothing from a broadcast whose reply is lost, and pays once when the same bytes are sent again",
    () =>
      Effect.gen(function* () {
        const { breakNode, finalize, heal, include, sender } = yield* SenderWorld
        const order = yield* anOrder()
        const signed = yield* signedOrder(order)
        const more = yield* gained(
          paymentOf(order).to,
          null,
          Effect.gen(function* () {
            yield* breakNode("lost_reply")
            assert.strictEqual((yield* Effect.ensuring(sender.broadcast(signed.raw), heal))._tag, "Unknown")
            assert.strictEqual((yield* sender.status(order, [signed]))._tag, "Pending")
            assert.strictEqual((yield* sender.broadcast(signed.raw))._tag, "Accepted")
            yield* include
            yield* finalize
            assert.strictEqual((yield* sender.status(order, [signed]))._tag, "Final")
          })
        )
        assert.strictEqual(more, unitsPaid)
      }),
    timeoutMs
  )

  it.effect(
    "finds a transaction final whose reply was lost and that was never sent again",
    () =>
      Effect.gen(function* () {
        const { breakNode, finalize, heal, include, sender } = yield* SenderWorld
        const order = yield* anOrder()
        const signed = yield* signedOrder(order)
        yield* breakNode("lost_reply")
        yield* Effect.ensuring(sender.broadcast(signed.raw), heal)
        yield* include
        yield* finalize
        assert.strictEqual((yield* sender.status(order, [signed]))._tag, "Final")
      }),
    timeoutMs
  )

  it.effect(
    "takes the reply of a node that was given a transaction twice for one that has it",
    () =>
      Effect.gen(function* () {
        const { breakNode, heal, sender } = yield* SenderWorld
        const signed = yield* signedOrder(yield* anOrder())
        yield* breakNode("duplicate")
        assert.strictEqual((yield* Effect.ensuring(sender.broadcast(signed.raw), heal))._tag, "Accepted")
      }),
    timeoutMs
  )

  it.effect(
    "concludes nothing from a node that refuses a transaction: another may take it",
    () =>
      Effect.gen(function* () {
        const { breakNode, finalize, heal, include, sender } = yield* SenderWorld
        const order = yield* anOrder()
        const signed = yield* signedOrder(order)
        yield* breakNode("refuse")
        assert.notStrictEqual((yield* Effect.ensuring(sender.broadcast(signed.raw), heal))._tag, "Accepted")
        assert.strictEqual((yield* sender.status(order, [signed]))._tag, "Pending")
        assert.strictEqual((yield* sender.broadcast(signed.raw))._tag, "Accepted")
        yield* include
        yield* finalize
        assert.strictEqual((yield* sender.status(order, [signed]))._tag, "Final")
      }),
    timeoutMs
  )

  for (const fault of ["silent", "garbage", "empty"] as const) {
    it.effect(
      `concludes nothing from a node that is ${fault}`,
      () =>
        Effect.gen(function* () {
          const { account, breakNode, contract, finalize, heal, include, sender } = yield* SenderWorld
          const waiting = yield* anOrder()
          const signed = yield* signedOrder(waiting)
          const done = yield* anOrder()
          const sent = yield* sentOrder(done)
          yield* include
          yield* finalize
          const before = yield* sender.status(done, [sent])
          const from = yield* account
          const next = yield* anOrder({ from })
          yield* breakNode(fault)
          yield* Effect.gen(function* () {
            const errors = [
              yield* Effect.flip(sender.status(waiting, [signed])),
              yield* Effect.flip(sender.status(done, [sent])),
              yield* Effect.flip(sender.balance(from, null)),
              yield* Effect.flip(sender.build(next))
            ]
            for (const error of errors) assert.strictEqual(error._tag, "ChainError")
            if (has.includes("sequence")) {
              assert.strictEqual((yield* Effect.flip(sender.firstSequence(from)))._tag, "ChainError")
            }
            if (has.includes("token")) {
              assert.strictEqual((yield* Effect.flip(sender.balance(from, contract)))._tag, "ChainError")
            }
            assert.strictEqual((yield* sender.broadcast(signed.raw))._tag, "Unknown")
            const { to, units } = paymentOf(done)
            const claimed = { txHash: sent.hash, contract: null, units, to, senders: [], memo: null }
            assert.strictEqual((yield* sender.prove(claimed)).verdict, "UNREADABLE")
          }).pipe(Effect.ensuring(heal))
          assert.deepStrictEqual(yield* sender.status(done, [sent]), before)
        }),
      timeoutMs
    )
  }

  it.effect(
    "does not lose a final transaction to a node that lags",
    () =>
      Effect.gen(function* () {
        const { breakNode, finalize, heal, include, sender } = yield* SenderWorld
        const order = yield* anOrder()
        const signed = yield* sentOrder(order)
        yield* include
        yield* finalize
        yield* breakNode("lagging")
        const lagging = yield* Effect.ensuring(Effect.result(sender.status(order, [signed])), heal)
        if (lagging._tag === "Success") assert.notStrictEqual(lagging.success._tag, "Invalidated")
        assert.strictEqual((yield* sender.status(order, [signed]))._tag, "Final")
      }),
    timeoutMs
  )
}
