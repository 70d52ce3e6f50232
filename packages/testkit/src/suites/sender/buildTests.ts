import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { SuiteIt } from "../harness.ts"
import { type SenderFeature, SenderWorld } from "./SenderWorld.ts"
import { anOrder, paymentOf, signedOrder } from "./steps.ts"

/** What is built from an order, and how its bytes are read again. */
export const buildTests = (it: SuiteIt<SenderWorld>, timeoutMs: number, has: ReadonlyArray<SenderFeature>): void => {
  for (const asset of has.includes("token") ? (["coin", "token"] as const) : (["coin"] as const)) {
    it.effect(
      `builds a payment of ${asset} that its format reads back, exactly`,
      () =>
        Effect.gen(function* () {
          const { contract, format, sender } = yield* SenderWorld
          const order = yield* anOrder({ contract: asset === "coin" ? null : contract })
          const unsigned = yield* sender.build(order)
          assert.deepStrictEqual(unsigned.payments, order.payments)
          const content = Result.getOrThrow(format.read(unsigned.bytes))
          // Beside the payment there may be change, which is the payer's.
          assert.deepStrictEqual(
            content.payments.filter(({ to }) => to !== order.from),
            order.payments
          )
          // On a rollup there is a cost that no bytes can limit, which comes on top.
          assert.isTrue(content.feeMax > 0n && content.feeMax <= unsigned.feeMax)
          assert.isNotEmpty(content.digests)
          assert.include(
            content.digests.map(({ address }) => address),
            order.from
          )
        }),
      timeoutMs
    )
  }

  it.effect(
    "makes two orders of the same payment two transactions",
    () =>
      Effect.gen(function* () {
        const { account, receiver } = yield* SenderWorld
        const parts = { from: yield* account, to: yield* receiver }
        const first = yield* signedOrder(yield* anOrder(parts))
        const second = yield* signedOrder(yield* anOrder(parts))
        assert.notStrictEqual(first.hash, second.hash)
      }),
    timeoutMs
  )

  it.effect(
    "refuses to pay more coin than there is, and says that it is for want of it",
    () =>
      Effect.gen(function* () {
        const { account, balance, sender } = yield* SenderWorld
        const from = yield* account
        const units = (yield* balance(from, null)) * 2n
        const error = yield* Effect.flip(sender.build(yield* anOrder({ from, units })))
        if (error._tag !== "CannotBuild") return assert.fail(error.message)
        assert.strictEqual(error.reason, "insufficient_wallet")
        assert.strictEqual(error.missing?.contract, null)
        assert.isTrue((error.missing?.units ?? 0n) > 0n)
      }),
    timeoutMs
  )

  it.effect(
    "gives away all that there is, less what it costs, when it drains",
    () =>
      Effect.gen(function* () {
        const { account, format, sender } = yield* SenderWorld
        const from = yield* account
        const order = yield* anOrder({ from })
        const units =
          order.guard._tag === "Utxos"
            ? order.guard.utxos.reduce((sum, utxo) => sum + utxo.units, 0n)
            : yield* sender.balance(from, null)
        const payment = { ...paymentOf(order), units }
        const unsigned = yield* sender.build({ ...order, payments: [payment], drain: true })
        const [paid] = unsigned.payments
        assert.isDefined(paid)
        assert.strictEqual(paid.to, payment.to)
        assert.isTrue(paid.units > 0n)
        assert.isTrue(paid.units + unsigned.feeMax <= units)
        assert.deepStrictEqual(Result.getOrThrow(format.read(unsigned.bytes)).payments, unsigned.payments)
      }),
    timeoutMs
  )

  if (has.includes("token")) {
    it.effect(
      "refuses to pay more of a token than there is, and says how much is missing",
      () =>
        Effect.gen(function* () {
          const { account, balance, contract, sender } = yield* SenderWorld
          const from = yield* account
          const held = yield* balance(from, contract)
          const error = yield* Effect.flip(sender.build(yield* anOrder({ from, contract, units: held + 7n })))
          if (error._tag !== "CannotBuild") return assert.fail(error.message)
          assert.strictEqual(error.reason, "insufficient_wallet")
          assert.deepStrictEqual({ ...error.missing }, { contract, units: 7n })
        }),
      timeoutMs
    )

    it.effect(
      "gives away all of a token when it drains",
      () =>
        Effect.gen(function* () {
          const { account, balance, contract, sender } = yield* SenderWorld
          const from = yield* account
          const units = yield* balance(from, contract)
          const order = { ...(yield* anOrder({ from, contract, units })), drain: true }
          assert.deepStrictEqual((yield* sender.build(order)).payments, order.payments)
        }),
      timeoutMs
    )
  }

  if (has.includes("noop")) {
    it.effect(
      "builds from no payments a transaction that gives nothing to anybody else",
      () =>
        Effect.gen(function* () {
          const { format, sender } = yield* SenderWorld
          const order = { ...(yield* anOrder()), payments: [] }
          const unsigned = yield* sender.build(order)
          assert.deepStrictEqual(unsigned.payments, [])
          const content = Result.getOrThrow(format.read(unsigned.bytes))
          assert.isTrue(content.payments.every(({ to }) => to === order.from))
        }),
      timeoutMs
    )
  }

  if (has.includes("revert")) {
    it.effect(
      "does not build a transfer of a token that would fail, and does not blame the receiver when nobody can be paid",
      () =>
        Effect.gen(function* () {
          const { contract, sender, setPaused } = yield* SenderWorld
          const order = yield* anOrder({ contract })
          yield* setPaused(true)
          const error = yield* Effect.ensuring(Effect.flip(sender.build(order)), setPaused(false))
          if (error._tag !== "CannotBuild") return assert.fail(error.message)
          assert.strictEqual(error.reason, "asset_blocked")
          assert.deepStrictEqual((yield* sender.build(order)).payments, order.payments)
        }),
      timeoutMs
    )
  }

  if (has.includes("sequence")) {
    it.effect(
      "begins to count with what the network expects next, and counts nothing that only waits",
      () =>
        Effect.gen(function* () {
          const { account, include, sender } = yield* SenderWorld
          const from = yield* account
          const order = yield* anOrder({ from })
          if (order.guard._tag !== "Sequence") return assert.fail("the account does not count")
          const next = order.guard.sequence
          assert.strictEqual(yield* sender.firstSequence(from), next)
          yield* sender.broadcast((yield* signedOrder(order)).raw)
          assert.strictEqual(yield* sender.firstSequence(from), next)
          yield* include
          assert.strictEqual(yield* sender.firstSequence(from), next + 1n)
        }),
      timeoutMs
    )
  }
}
