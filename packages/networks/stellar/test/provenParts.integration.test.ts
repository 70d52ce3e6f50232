import { muxed } from "@bursar/stellar"
import { SenderWorld } from "@bursar/testkit/suites/sender/SenderWorld"
import { assert, layer } from "@effect/vitest"
import { Asset, Operation } from "@stellar/stellar-sdk/base"
import { Effect, Layer } from "effect"
import { SendingDevnet, senderWorld } from "./support/SenderWorldLayer.ts"

const live = senderWorld.pipe(Layer.provideMerge(SendingDevnet.layer))

const pay = (destination: string, amount: string) => Operation.payment({ destination, asset: Asset.native(), amount })

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
})
