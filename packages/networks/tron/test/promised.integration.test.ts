import type { ChainSender } from "@bursar/core/port/ChainSender"
import { SenderWorld } from "@bursar/testkit/suites/sender/SenderWorld"
import { anOrder, paymentOf, signedOrder } from "@bursar/testkit/suites/sender/steps"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SendingDevnet, senderWorld } from "./support/SenderWorldLayer.ts"
import { tamper } from "./support/TamperingNode.ts"

const live = senderWorld.pipe(Layer.provideMerge(SendingDevnet.layer))

/** Plans orders of an account, which are named by their places. */
const plan = Effect.fnUntraced(function* (
  from: string,
  orders: ReadonlyArray<Effect.Success<ReturnType<typeof anOrder>>>,
  openTransactions = 0,
  by?: ChainSender
) {
  const sender = by ?? (yield* SenderWorld).sender
  return yield* sender.planner.payouts({
    accounts: { wallet: { address: from, nextSequence: null, openTransactions, committed: [] }, channels: [] },
    payments: orders.map((order, at) => ({ ...paymentOf(order), id: String(at), alone: false })),
    underWayMax: 100,
    freeUtxos: Effect.succeed([])
  })
})

/** Pays TRX away. */
const pay = Effect.fnUntraced(function* (from: string, units: bigint) {
  const { sender } = yield* SenderWorld
  const order = yield* anOrder({ from })
  const { raw } = yield* signedOrder({ ...order, payments: [{ ...paymentOf(order), units }] })
  return yield* sender.broadcast(raw)
})

layer(live, { excludeTestServices: true })("the TRX of a wallet", (it) => {
  it.effect(
    "pays for the energy of all transfers that are planned together: the others wait, and none runs out of it",
    () =>
      Effect.gen(function* () {
        const { account, contract, finalize, include, receiver, sender } = yield* SenderWorld
        const from = yield* account
        // some 20 TRX stay in the wallet: one transfer to a fresh receiver burns 13
        yield* pay(from, 978_000_000n)
        yield* include
        yield* finalize
        const orders = yield* Effect.forEach([1, 2, 3], () =>
          Effect.flatMap(receiver, (to) => anOrder({ from, to, contract }))
        )
        const { transactions, waiting } = yield* plan(from, orders)
        assert.deepStrictEqual(
          waiting.map(({ id, reason, retry }) => [id, reason, retry]),
          [
            ["1", "insufficient_wallet", "soon"],
            ["2", "insufficient_wallet", "soon"]
          ]
        )
        assert.match(waiting[0]?.detail ?? "", /of the native asset left for the network fee/u)
        const planned = orders.filter((_, at) => transactions.some(({ ids }) => ids.includes(String(at))))
        // all that are planned are built and signed at once: none knows of the others
        const signed = yield* Effect.forEach(planned, signedOrder)
        yield* Effect.forEach(signed, ({ raw }) => sender.broadcast(raw))
        yield* include
        yield* finalize
        const ends = yield* Effect.forEach(planned, (order, at) =>
          Effect.map(sender.status(order, signed.slice(at, at + 1)), (status) =>
            status._tag === "Final" ? status.effect : status._tag
          )
        )
        assert.deepStrictEqual(ends, ["done"])
      })
  )

  it.effect("is not promised twice between a block and its being solidified", () =>
    Effect.gen(function* () {
      const { account, finalize, include, receiver } = yield* SenderWorld
      const from = yield* account // 1,000 TRX
      yield* pay(from, 600_000_000n)
      const order = yield* anOrder({ from, to: yield* receiver })
      const second = { ...order, payments: [{ ...paymentOf(order), units: 600_000_000n }] }
      yield* include
      // in a block, it is not counted as under way any more, and the solidified balance still has it
      assert.deepStrictEqual((yield* plan(from, [second], 1)).transactions, [])
      yield* finalize
      assert.deepStrictEqual((yield* plan(from, [second])).transactions, [])
      const less = { ...order, payments: [{ ...paymentOf(order), units: 300_000_000n }] }
      assert.lengthOf((yield* plan(from, [less])).transactions, 1)
    })
  )

  it.effect("pays for the bandwidth that other transfers have left none free of", () =>
    Effect.gen(function* () {
      const { account } = yield* SenderWorld
      const [from, to] = [yield* account, yield* account]
      const order = yield* anOrder({ from, to })
      const all = { ...order, payments: [{ ...paymentOf(order), units: 1_000_000_000n }] }
      assert.lengthOf((yield* plan(from, [all])).transactions, 1)
      assert.lengthOf((yield* plan(from, [all], 100)).transactions, 0)
    })
  )

  it.effect("keeps nothing waiting by prices above the cap: they show as that when it is built", () =>
    Effect.gen(function* () {
      const { devnet, sender } = yield* SendingDevnet
      const { account, contract, receiver } = yield* SenderWorld
      const { change, nodeUrl } = yield* tamper(devnet.nodeUrl)
      const liar = sender({ nodeUrl })
      const [from, to] = [yield* account, yield* receiver]
      const orders = yield* Effect.forEach([contract, null], (asset) => anOrder({ from, to, contract: asset }))
      const asks = (key: string) =>
        change("getchainparameters", (answer) => ({
          // the local node gives a list of what is asked
          chainParameter: (
            answer as { readonly chainParameter: ReadonlyArray<{ readonly key: string }> }
          ).chainParameter.map((one) => (one.key === key ? { key, value: 10 ** 12 } : one))
        }))
      const refusal = (order: (typeof orders)[number]) =>
        Effect.map(Effect.flip(liar.build(order)), (error) => (error._tag === "CannotBuild" ? error.reason : error))
      for (const key of ["getTransactionFee", "getCreateNewAccountFeeInSystemContract"]) {
        asks(key)
        assert.deepStrictEqual((yield* plan(from, orders, 0, liar)).waiting, [], key)
        for (const order of orders) assert.strictEqual(yield* refusal(order), "fee_capped", key)
      }
      asks("getEnergyFee")
      assert.deepStrictEqual((yield* plan(from, orders, 0, liar)).waiting, [])
      assert.strictEqual(yield* refusal(orders[0] ?? assert.fail("there is none")), "fee_capped")
    })
  )
})
