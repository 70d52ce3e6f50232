import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { SuiteIt } from "../harness.ts"
import { type SenderFeature, SenderWorld } from "./SenderWorld.ts"
import { anOrder, gained, paymentOf, sentOrder, signedOrder, unitsPaid } from "./steps.ts"

/** What becomes of transactions, from their broadcast to finality. */
export const statusTests = (it: SuiteIt<SenderWorld>, timeoutMs: number, has: ReadonlyArray<SenderFeature>): void => {
  it.effect(
    "waits for a transaction that nobody was given",
    () =>
      Effect.gen(function* () {
        const { include, sender } = yield* SenderWorld
        const order = yield* anOrder()
        const signed = yield* signedOrder(order)
        yield* include
        assert.deepStrictEqual(yield* sender.status(order, [signed]), { _tag: "Pending", known: false })
      }),
    timeoutMs
  )

  for (const asset of has.includes("token") ? (["coin", "token"] as const) : (["coin"] as const)) {
    it.effect(
      `follows a payment of ${asset} from waiting to final`,
      () =>
        Effect.gen(function* () {
          const { contract, finalAfter, finalize, include, sender } = yield* SenderWorld
          const order = yield* anOrder({ contract: asset === "coin" ? null : contract })
          const { contract: paid, to, units } = paymentOf(order)
          const unsigned = yield* sender.build(order)
          const signed = yield* sentOrder(order)
          assert.strictEqual((yield* sender.status(order, [signed]))._tag, "Pending")
          const more = yield* gained(
            to,
            paid,
            Effect.gen(function* () {
              yield* include
              for (let after = 0; after < finalAfter; after++) {
                // asked twice: what was seen before proves nothing
                for (const included of [yield* sender.status(order, [signed]), yield* sender.status(order, [signed])]) {
                  assert.strictEqual(included._tag, "Included", `${after} blocks after it`)
                  if (included._tag === "Included") assert.strictEqual(included.hash, signed.hash)
                }
                yield* include
              }
              const included = yield* sender.status(order, [signed])
              assert.include(["Included", "Final"], included._tag)
              yield* finalize
            })
          )
          assert.strictEqual(more, units)
          const status = yield* sender.status(order, [signed])
          if (status._tag !== "Final") return assert.fail(status._tag)
          assert.strictEqual(status.hash, signed.hash)
          assert.strictEqual(status.effect, "done")
          assert.isTrue(status.fee >= 0n && status.fee <= unsigned.feeMax)
          assert.isTrue(Number.isSafeInteger(status.blockNumber) && status.blockNumber > 0)
          assert.isTrue(Number.isSafeInteger(status.blockTime) && status.blockTime > 1_000_000_000_000)
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
            assert.strictEqual((yield* sender.broadcast(signed.raw))._tag, "Accepted")
            yield* include
            yield* sender.broadcast(signed.raw)
            yield* finalize
            yield* sender.broadcast(signed.raw)
            yield* finalize
            assert.strictEqual((yield* sender.status(order, [signed]))._tag, "Final")
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
        assert.notStrictEqual(answer._tag, "Accepted")
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
          const status = yield* sender.status(order, [signed])
          assert.strictEqual(status._tag === "Final" ? status.effect : status._tag, "done")
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
          const status = yield* sender.status(order, [signed])
          if (status._tag !== "Final") return assert.fail(status._tag)
          assert.strictEqual(status.effect, "reverted")
          assert.isTrue(status.fee > 0n)
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
              assert.strictEqual((yield* sender.status(order, [signed]))._tag, "Included")
              yield* reorg
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
  }
}
