import type { Claimed } from "@bursar/core/port/ChainSender"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { SuiteIt } from "../harness.ts"
import { type SenderFeature, SenderWorld } from "./SenderWorld.ts"
import { anOrder, paymentOf, sentOrder } from "./steps.ts"

/** Claimed payments, estimates, and whether a receiver can be paid. */
export const proofTests = (it: SuiteIt<SenderWorld>, timeoutMs: number, has: ReadonlyArray<SenderFeature>): void => {
  for (const asset of has.includes("token") ? (["coin", "token"] as const) : (["coin"] as const)) {
    it.effect(
      `proves a payment of ${asset} when it is final, and nothing that differs from it`,
      () =>
        Effect.gen(function* () {
          const { contract, finalize, include, receiver, sender } = yield* SenderWorld
          const order = yield* anOrder({ contract: asset === "coin" ? null : contract })
          const signed = yield* sentOrder(order)
          const { hash } = signed
          const { contract: paid, to, units } = paymentOf(order)
          const claimed: Claimed = { txHash: hash, contract: paid, units, to, senders: [], memo: null }
          assert.notStrictEqual((yield* sender.prove(claimed)).verdict, "PROVEN", "before it is in a block")
          yield* include
          const included = (yield* sender.prove(claimed)).verdict
          const may = has.includes("reorg") ? ["NOT_FINAL"] : ["NOT_FINAL", "PROVEN"]
          assert.include(may, included, "in a block, it is not denied, nor proven where the block can be replaced")
          yield* finalize
          const status = yield* sender.status(order, [signed])
          const cost = status._tag === "Final" ? status.fee : assert.fail(`it is ${status._tag}`)
          const other = yield* receiver
          for (const senders of [[], [order.from], [other, order.from]]) {
            const proof = yield* sender.prove({ ...claimed, senders })
            assert.strictEqual(proof.verdict, "PROVEN", proof.verdict === "PROVEN" ? "" : proof.reason)
            if (proof.verdict === "PROVEN") assert.strictEqual(proof.fee, senders.length === 0 ? null : cost)
          }
          const otherwise: Readonly<Record<string, Claimed>> = {
            "a unit less": { ...claimed, units: units - 1n },
            "a unit more": { ...claimed, units: units + 1n },
            "another receiver": { ...claimed, to: other },
            "another sender": { ...claimed, senders: [other] },
            ...(has.includes("token")
              ? { "another asset": { ...claimed, contract: paid === null ? contract : null } }
              : {})
          }
          for (const [what, wrong] of Object.entries(otherwise)) {
            const proof = yield* sender.prove(wrong)
            assert.strictEqual(proof.verdict, "NOT_PROVEN", what)
            assert.isNotEmpty(proof.verdict === "PROVEN" ? "" : proof.reason)
          }
        }),
      timeoutMs
    )
  }

  it.effect(
    "does not prove or deny a transaction that it does not know, as that may be on its way, and denies a hash that is none",
    () =>
      Effect.gen(function* () {
        const { receiver, sender, unknownHash } = yield* SenderWorld
        const to = yield* receiver
        for (const [txHash, verdict] of [
          [unknownHash, "UNREADABLE"],
          ["no hash", "NOT_PROVEN"]
        ] as const) {
          const proof = yield* sender.prove({ txHash, contract: null, units: 1n, to, senders: [], memo: null })
          assert.strictEqual(proof.verdict, verdict, txHash)
        }
      }),
    timeoutMs
  )

  it.effect(
    "estimates what a payment costs, and says nothing of a receiver that it does not know",
    () =>
      Effect.gen(function* () {
        const { account, receiver, sender } = yield* SenderWorld
        const from = yield* account
        const to = yield* receiver
        const known = yield* sender.estimate({ from, to, contract: null, units: 20_000n })
        assert.isTrue(known.fee !== null && known.fee >= 0n)
        const unknown = yield* sender.estimate({ from: null, to: null, contract: null, units: 20_000n })
        assert.isNull(unknown.recipientHoldsAsset)
      }),
    timeoutMs
  )

  if (has.includes("token")) {
    it.effect(
      "estimates what a payment of a token costs, and whether its receiver holds it",
      () =>
        Effect.gen(function* () {
          const { account, contract, sender } = yield* SenderWorld
          const from = yield* account
          const holder = yield* sender.estimate({ from, to: yield* account, contract, units: 20_000n })
          assert.isTrue(holder.fee !== null && holder.fee > 0n)
          assert.strictEqual(holder.recipientHoldsAsset, true)
          assert.strictEqual(holder.assumedWorstCase, false)
          const unknown = yield* sender.estimate({ from: null, to: null, contract, units: 20_000n })
          assert.isNull(unknown.recipientHoldsAsset)
        }),
      timeoutMs
    )
  }

  it.effect(
    "can pay a receiver that is one, and cannot pay what is no address",
    () =>
      Effect.gen(function* () {
        const { receiver, sender } = yield* SenderWorld
        const payment = { to: yield* receiver, contract: null, units: 20_000n, memo: null }
        assert.deepStrictEqual(yield* sender.preflight(payment), { _tag: "Payable" })
        const refused = yield* sender.preflight({ ...payment, to: "nobody" })
        assert.strictEqual(refused._tag === "Unpayable" ? refused.code : refused._tag, "address_invalid")
      }),
    timeoutMs
  )

  if (has.includes("faults")) {
    it.effect(
      "says of nothing that it costs nothing when the node is silent",
      () =>
        Effect.gen(function* () {
          const { breakNode, heal, receiver, sender } = yield* SenderWorld
          const to = yield* receiver
          yield* breakNode("silent")
          const ask = sender.estimate({ from: null, to, contract: null, units: 20_000n })
          const estimate = yield* Effect.ensuring(ask, heal)
          assert.isNull(estimate.fee)
          assert.isNull(estimate.recipientHoldsAsset)
        }),
      timeoutMs
    )
  }
}
