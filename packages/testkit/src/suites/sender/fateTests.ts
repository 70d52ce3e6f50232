import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { SuiteIt } from "../harness.ts"
import { type SenderFeature, SenderWorld } from "./SenderWorld.ts"
import { anOrder, gained, paymentOf, sentOrder, signedOrder, unitsPaid } from "./steps.ts"

/** What becomes of transactions, from their broadcast to finality. */
export const fateTests = (it: SuiteIt<SenderWorld>, timeoutMs: number, has: ReadonlyArray<SenderFeature>): void => {
  it.effect(
    "waits for a transaction that nobody was given",
    () =>
      Effect.gen(function* () {
        const { include, sender } = yield* SenderWorld
        const order = yield* anOrder()
        const signed = yield* signedOrder(order)
        yield* include
        assert.deepStrictEqual(yield* sender.fate(order, [signed]), { _tag: "Waiting", known: false })
      }),
    timeoutMs
  )

  for (const asset of has.includes("token") ? (["coin", "token"] as const) : (["coin"] as const)) {
    it.effect(
      `follows a payment of ${asset} from waiting to final`,
      () =>
        Effect.gen(function* () {
          const { contract, finalize, include, sender } = yield* SenderWorld
          const order = yield* anOrder({ contract: asset === "coin" ? null : contract })
          const { contract: paid, to, units } = paymentOf(order)
          const unsigned = yield* sender.build(order)
          const signed = yield* sentOrder(order)
          assert.strictEqual((yield* sender.fate(order, [signed]))._tag, "Waiting")
          const more = yield* gained(
            to,
            paid,
            Effect.gen(function* () {
              yield* include
              const included = yield* sender.fate(order, [signed])
              if (included._tag === "Included") assert.strictEqual(included.hash, signed.hash)
              else assert.strictEqual(included._tag, "Final")
              yield* finalize
            })
          )
          assert.strictEqual(more, units)
          const fate = yield* sender.fate(order, [signed])
          if (fate._tag !== "Final") return assert.fail(fate._tag)
          assert.strictEqual(fate.hash, signed.hash)
          assert.strictEqual(fate.effect, "done")
          assert.isTrue(fate.fee >= 0n && fate.fee <= unsigned.feeMax)
          assert.isTrue(Number.isSafeInteger(fate.blockNumber) && fate.blockNumber > 0)
          assert.isTrue(Number.isSafeInteger(fate.blockTime) && fate.blockTime > 1_000_000_000_000)
        }),
      timeoutMs
    )
  }

  it.effect(
    "takes the same bytes again, before and after they are in a block, and pays once",
    () =>
      Effect.gen(function* () {
        const { finalize, include, sender } = yield* SenderWorld
        const order = yield* anOrder()
        const more = yield* gained(
          paymentOf(order).to,
          null,
          Effect.gen(function* () {
            const signed = yield* sentOrder(order)
            assert.strictEqual((yield* sender.broadcast(signed.raw))._tag, "Taken")
            yield* include
            yield* sender.broadcast(signed.raw)
            yield* finalize
            yield* sender.broadcast(signed.raw)
            yield* finalize
            assert.strictEqual((yield* sender.fate(order, [signed]))._tag, "Final")
          })
        )
        assert.strictEqual(more, unitsPaid)
      }),
    timeoutMs
  )

  it.effect(
    "says that bytes which are no transaction are invalid",
    () =>
      Effect.gen(function* () {
        const { sender } = yield* SenderWorld
        const answer = yield* sender.broadcast(Uint8Array.of(1, 2, 3))
        assert.notStrictEqual(answer._tag, "Taken")
      }),
    timeoutMs
  )

  if (has.includes("noop")) {
    it.effect(
      "follows a transaction that does nothing",
      () =>
        Effect.gen(function* () {
          const { finalize, sender } = yield* SenderWorld
          const order = { ...(yield* anOrder()), payments: [] }
          const signed = yield* sentOrder(order)
          yield* (yield* SenderWorld).include
          yield* finalize
          const fate = yield* sender.fate(order, [signed])
          assert.strictEqual(fate._tag === "Final" ? fate.effect : fate._tag, "done")
        }),
      timeoutMs
    )
  }

  if (has.includes("revert")) {
    it.effect(
      "calls a transaction reverted that is final and failed, with what it cost all the same",
      () =>
        Effect.gen(function* () {
          const { contract, finalize, include, sender, setPaused } = yield* SenderWorld
          const order = yield* anOrder({ contract })
          const signed = yield* signedOrder(order)
          yield* setPaused(true)
          const more = yield* gained(
            paymentOf(order).to,
            contract,
            Effect.gen(function* () {
              yield* sender.broadcast(signed.raw)
              yield* include
              yield* finalize
            })
          ).pipe(Effect.ensuring(setPaused(false)))
          assert.strictEqual(more, 0n)
          const fate = yield* sender.fate(order, [signed])
          if (fate._tag !== "Final") return assert.fail(fate._tag)
          assert.strictEqual(fate.effect, "reverted")
          assert.isTrue(fate.fee > 0n)
        }),
      timeoutMs
    )
  }

  if (has.includes("reorg")) {
    it.effect(
      "goes back to waiting when the block is replaced, and takes the same bytes again",
      () =>
        Effect.gen(function* () {
          const { finalize, include, reorg, sender } = yield* SenderWorld
          const order = yield* anOrder()
          const more = yield* gained(
            paymentOf(order).to,
            null,
            Effect.gen(function* () {
              const signed = yield* sentOrder(order)
              yield* include
              assert.strictEqual((yield* sender.fate(order, [signed]))._tag, "Included")
              yield* reorg
              assert.strictEqual((yield* sender.fate(order, [signed]))._tag, "Waiting")
              assert.strictEqual((yield* sender.broadcast(signed.raw))._tag, "Taken")
              yield* include
              yield* finalize
              assert.strictEqual((yield* sender.fate(order, [signed]))._tag, "Final")
            })
          )
          assert.strictEqual(more, unitsPaid)
        }),
      timeoutMs
    )
  }
}
