import { muxed } from "@bursar/stellar"
import { SenderWorld } from "@bursar/testkit/suites/sender/SenderWorld"
import { assert, layer } from "@effect/vitest"
import { Asset, Operation } from "@stellar/stellar-sdk/base"
import { Effect, Layer } from "effect"
import { SendingDevnet, senderWorld } from "./support/SenderWorldLayer.ts"

const live = senderWorld.pipe(Layer.provideMerge(SendingDevnet.layer))

const pay = (destination: string, amount: string, source?: string) =>
  Operation.payment({ destination, asset: Asset.native(), amount, ...(source === undefined ? {} : { source }) })

layer(live, { excludeTestServices: true })("proofs of a transaction with several payments", (it) => {
  it.effect("proves what came to an account with a number, though another payment to it has no memo", () =>
    Effect.gen(function* () {
      const { account, include, receiver, sender } = yield* SenderWorld
      const { keyOf, submit } = yield* SendingDevnet
      const [payer, to] = [yield* account, yield* receiver]
      const txHash = yield* submit(payer, keyOf(payer), [pay(muxed(to, 42n), "4"), pay(to, "1")])
      yield* include
      const claimed = { txHash, contract: null, units: 4_0000000n, to, senders: [payer], memo: "42" }
      assert.strictEqual((yield* sender.prove(claimed)).verdict, "PROVEN")
      assert.deepInclude(yield* sender.prove({ ...claimed, units: 1_0000000n }), {
        verdict: "NOT_PROVEN",
        reason: "The transaction has no memo."
      })
    })
  )

  it.effect("proves what its sender paid under numbers of its own account, unless the claim names another number", () =>
    Effect.gen(function* () {
      const { account, include, receiver, sender } = yield* SenderWorld
      const { keyOf, submit } = yield* SendingDevnet
      const [payer, other, to] = [yield* account, yield* account, yield* receiver]
      const txHash = yield* submit(payer, keyOf(payer), [pay(to, "4", muxed(payer, 9n)), pay(to, "1")])
      yield* include
      const verdict = (senders: ReadonlyArray<string>, units = 4_0000000n) =>
        Effect.map(sender.prove({ txHash, contract: null, units, to, senders, memo: null }), (proof) => proof.verdict)
      assert.strictEqual(yield* verdict([payer]), "PROVEN")
      assert.strictEqual(yield* verdict([payer], 5_0000000n), "PROVEN")
      assert.strictEqual(yield* verdict([muxed(payer, 9n)]), "PROVEN")
      assert.strictEqual(yield* verdict([muxed(payer, 8n)]), "NOT_PROVEN")
      assert.strictEqual(yield* verdict([muxed(payer, 9n)], 1_0000000n), "NOT_PROVEN")
      assert.strictEqual(yield* verdict([other]), "NOT_PROVEN")
    })
  )
})
