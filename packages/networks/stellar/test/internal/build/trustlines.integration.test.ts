import type { SendOrder } from "@bursar/core/port/ChainSender"
import { SenderWorld } from "@bursar/testkit/suites/sender/SenderWorld"
import { sentOrder, signedOrder } from "@bursar/testkit/suites/sender/steps"
import { assert, layer } from "@effect/vitest"
import { Keypair, Operation } from "@stellar/stellar-sdk/base"
import { Effect, Layer } from "effect"
import { SendingDevnet, senderWorld } from "../../support/SenderWorldLayer.ts"
import { tamper } from "../../support/tamper.ts"

const live = senderWorld.pipe(Layer.provideMerge(SendingDevnet.layer))

/** An account that has coin and has agreed to nothing. */
const bareAccount = Effect.fnUntraced(function* (stroops: bigint) {
  const { devnet, keep } = yield* SendingDevnet
  const { include } = yield* SenderWorld
  const key = Keypair.random()
  yield* Effect.orDie(devnet.faucet.pay(key.publicKey(), "native", stroops))
  yield* include
  keep(key)
  return key.publicKey()
})

/** An order of an account that agrees to hold dollars; `by` lends the number where another does. */
const agreement = Effect.fnUntraced(function* (from: string, by: string = from) {
  const { contract, take, validUntil } = yield* SenderWorld
  const order: SendOrder = {
    from,
    guard: yield* take(by),
    payments: [],
    trustlines: [contract],
    validUntil: yield* validUntil,
    salt: 1,
    drain: false,
    replacing: null
  }
  return order
})

const accountStateOf = Effect.fnUntraced(function* (address: string) {
  const { contract } = yield* SenderWorld
  const { sender } = yield* SendingDevnet
  return yield* sender({}).accountState(address, [contract])
})

layer(live, { excludeTestServices: true })("StellarSender: agreeing to hold assets", (it) => {
  it.effect("tells of an account whether it is there, what it has agreed to hold, and what it can spend", () =>
    Effect.gen(function* () {
      const { contract, include } = yield* SenderWorld
      const nobody = yield* accountStateOf(Keypair.random().publicKey())
      const keeps = { keepsForItself: 10_000_000n, keepsPerAsset: 5_000_000n, unissued: [] }
      assert.deepStrictEqual(nobody, { exists: false, missing: [contract], spendable: 0n, ...keeps })
      const from = yield* bareAccount(20_000_000n)
      const before = yield* accountStateOf(from)
      assert.deepStrictEqual(before, { exists: true, missing: [contract], spendable: 10_000_000n, ...keeps })
      yield* sentOrder(yield* agreement(from))
      yield* include
      const after = yield* accountStateOf(from)
      assert.deepStrictEqual(after, { exists: true, missing: [], spendable: 4_999_900n, ...keeps })
    })
  )

  it.effect("tells the assets that nobody can agree to hold from those that an account still lacks", () =>
    Effect.gen(function* () {
      const { sender } = yield* SendingDevnet
      const { contract, include } = yield* SenderWorld
      const dead = `DEAD:${Keypair.random().publicKey()}`
      const { accountState, planner } = sender({ assets: [contract, dead] })
      const address = yield* bareAccount(30_000_000n)
      assert.deepInclude(yield* accountState(address, [dead, contract]), { missing: [contract], unissued: [dead] })
      const look = planner.provisioner?.look({ address, role: "PAYOUT" }, [dead, contract], 0n)
      if (look === undefined) return assert.fail("stellar provisions accounts")
      const lacks = { _tag: "Step", step: { _tag: "Trust", contracts: [contract] } } as const
      assert.deepInclude(yield* look, { need: lacks, unissued: [dead] })
      yield* sentOrder(yield* agreement(address))
      yield* include
      assert.deepInclude(yield* look, { need: { _tag: "Nothing" }, unissued: [dead] })
    })
  )

  it.effect("is done when the trustline is there, without a limit, and the number of another account was used", () =>
    Effect.gen(function* () {
      const { devnet } = yield* SendingDevnet
      const { account, contract, include, sender } = yield* SenderWorld
      const [from, channel] = [yield* bareAccount(15_000_000n), yield* account]
      const order = yield* agreement(from, channel)
      const signed = yield* sentOrder(order)
      assert.strictEqual((yield* sender.status(order, [signed]))._tag, "Pending")
      yield* include
      const status = yield* sender.status(order, [signed])
      assert.deepInclude(status, { _tag: "Final", hash: signed.hash, effect: "done", fee: 100n })
      const { chain } = devnet.faucet
      const line = chain.accounts(chain.head().sequence).get(from)?.trustlines.get(contract)
      assert.strictEqual(line?.limit, 9_223_372_036_854_775_807n)
      assert.strictEqual(
        (yield* sender.preflight({ to: from, contract, units: 10n ** 15n, memo: null }))._tag,
        "Payable"
      )
    })
  )

  it.effect("is missing where it succeeded and the account does not show the trustline any more", () =>
    Effect.gen(function* () {
      const { keyOf, submit, usdc } = yield* SendingDevnet
      const { include, sender } = yield* SenderWorld
      const from = yield* bareAccount(30_000_000n)
      const order = yield* agreement(from)
      const signed = yield* sentOrder(order)
      yield* include
      yield* submit(from, keyOf(from), [Operation.changeTrust({ asset: usdc, limit: "0" })])
      yield* include
      assert.deepInclude(yield* sender.status(order, [signed]), { _tag: "Final", effect: "missing" })
    })
  )

  it.effect("concludes nothing from an account as it stood before the agreement", () =>
    Effect.gen(function* () {
      const { devnet, sender: senderOf } = yield* SendingDevnet
      const { include } = yield* SenderWorld
      const from = yield* bareAccount(30_000_000n)
      const order = yield* agreement(from)
      const node = yield* tamper(devnet.horizonUrl)
      const liar = senderOf({ horizonUrl: node.horizonUrl })
      const old = devnet.faucet.chain.head().sequence
      const signed = yield* sentOrder(order)
      yield* include
      node.change(new RegExp(`^/accounts/${from}$`, "u"), (answer) => ({
        ...answer,
        headers: { "Latest-Ledger": String(old) }
      }))
      assert.match((yield* Effect.flip(liar.status(order, [signed]))).detail, /behind/u)
      node.honest()
      assert.deepInclude(yield* liar.status(order, [signed]), { _tag: "Final", effect: "done" })
    })
  )

  it.effect(
    "is not built where the account is not there, or could not keep what it takes, and bids more to replace",
    () =>
      Effect.gen(function* () {
        const { account, sender } = yield* SenderWorld
        const channel = yield* account
        const missing = (order: SendOrder) =>
          Effect.map(Effect.flip(sender.build(order)), (error) =>
            error._tag === "CannotBuild" ? [error.reason, error.missing?.units] : error.message
          )
        const absent = Keypair.random().publicKey()
        assert.deepStrictEqual(yield* missing(yield* agreement(absent, channel)), ["insufficient_wallet", 10_000_000n])
        const poor = yield* bareAccount(14_999_999n)
        assert.deepStrictEqual(yield* missing(yield* agreement(poor, channel)), ["insufficient_wallet", 1n])
        const order = yield* agreement(yield* bareAccount(20_000_000n))
        const first = yield* signedOrder(order)
        const dearer = yield* sender.build({ ...order, replacing: first.raw })
        assert.strictEqual(dearer.feeMax, 2_000n)
        assert.deepStrictEqual(dearer.payments, [])
      })
  )
})
