import { assert, layer } from "@effect/vitest"
import { Asset, Operation, TransactionBuilder } from "@stellar/stellar-sdk"
import { Effect } from "effect"
import { Stellar, verdictOf } from "./support.ts"

const manual = Stellar.layer({ mining: "manual", submitTimeoutMs: 200 })

const one = (to: string) => Operation.payment({ destination: to, asset: Asset.native(), amount: "1" })

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

/** An account that is in a ledger. */
const settled = Effect.flatMap(Stellar, ({ devnet, newAccount }) =>
  Effect.tap(newAccount, () => devnet.faucet.close(1))
)

layer(manual, { excludeTestServices: true })("transactions that wait for a ledger", (it) => {
  it.effect("are pending, then duplicates, then in a ledger", () =>
    Effect.gen(function* () {
      const { built, devnet, funded, rpc } = yield* Stellar
      const transaction = yield* built(yield* settled, [one(funded.publicKey())])
      const sent = () => Effect.promise(async () => (await rpc.sendTransaction(transaction)).status)
      const status = Effect.promise(async () => (await rpc.getTransaction(hex(transaction.hash()))).status)
      assert.deepStrictEqual([yield* sent(), yield* sent()], ["PENDING", "DUPLICATE"])
      assert.strictEqual(yield* status, "NOT_FOUND")
      yield* devnet.faucet.close(1)
      assert.strictEqual(yield* status, "SUCCESS")
    })
  )

  it.effect("make Horizon answer 504 after a while, and may come into a ledger all the same", () =>
    Effect.gen(function* () {
      const { built, devnet, funded, horizon } = yield* Stellar
      const transaction = yield* built(yield* settled, [one(funded.publicKey())])
      const verdict = yield* verdictOf(transaction)
      assert.deepStrictEqual(verdict, { status: 504, transaction: "Transaction Submission Timeout" })
      yield* devnet.faucet.close(1)
      const read = yield* Effect.promise(() => horizon.transactions().transaction(hex(transaction.hash())).call())
      assert.isTrue(read.successful)
      // Handed in again, the same bytes are answered with what became of them.
      assert.deepInclude(yield* verdictOf(transaction), { status: 200 })
    })
  )

  it.effect("are one for each account at a time", () =>
    Effect.gen(function* () {
      const { built, devnet, funded, rpc } = yield* Stellar
      const key = yield* settled
      const first = yield* built(key, [one(funded.publicKey())])
      const second = yield* built(key, [one(funded.publicKey())], { sequence: first.sequence })
      const statuses = yield* Effect.promise(async () => [
        (await rpc.sendTransaction(first)).status,
        (await rpc.sendTransaction(second)).status
      ])
      assert.deepStrictEqual(statuses, ["PENDING", "TRY_AGAIN_LATER"])
      yield* devnet.faucet.close(1)
      assert.strictEqual(yield* Effect.promise(async () => (await rpc.sendTransaction(second)).status), "PENDING")
    })
  )

  it.effect("give way to the same sequence at ten times the fee, and to no less", () =>
    Effect.gen(function* () {
      const { built, devnet, funded, rpc } = yield* Stellar
      const inner = yield* built(yield* settled, [one(funded.publicKey())])
      const bumped = (fee: string) => {
        const bump = TransactionBuilder.buildFeeBumpTransaction(funded, fee, inner, devnet.networkPassphrase)
        bump.sign(funded)
        return bump
      }
      const [low, high] = [bumped("999"), bumped("1000")]
      yield* Effect.promise(async () => {
        assert.strictEqual((await rpc.sendTransaction(inner)).status, "PENDING")
        const refused = await rpc.sendTransaction(low)
        assert.strictEqual(refused.status, "ERROR")
        assert.strictEqual(refused.errorResult?.result.type, "txInsufficientFee")
        assert.strictEqual((await rpc.sendTransaction(high)).status, "PENDING")
      })
      const { executed } = yield* devnet.faucet.close(1)
      assert.deepStrictEqual(
        executed.map(({ submission }) => submission.hash),
        [hex(high.hash())]
      )
      // The one inside can never be in a ledger of its own: it is found under its hash, as part of the other.
      const read = yield* Effect.promise(() => rpc.getTransaction(hex(inner.hash())))
      assert.strictEqual(read.status, "SUCCESS")
    })
  )

  it.effect("are dropped without a trace when their time has passed", () =>
    Effect.gen(function* () {
      const { built, devnet, funded, rpc } = yield* Stellar
      const key = yield* settled
      const { time } = devnet.faucet.chain.head()
      const transaction = yield* built(key, [one(funded.publicKey())], { maxTime: time + 1_800 })
      assert.strictEqual(yield* Effect.promise(async () => (await rpc.sendTransaction(transaction)).status), "PENDING")
      devnet.faucet.chain.close(time + 3_600)
      assert.strictEqual(devnet.faucet.chain.pending().length, 0)
      const read = yield* Effect.promise(() => rpc.getTransaction(hex(transaction.hash())))
      assert.strictEqual(read.status, "NOT_FOUND")
      assert.strictEqual(Number(read.latestLedgerCloseTime), time + 3_600)
    })
  )

  it.effect("leave the one that another made impossible in the ledger as failed", () =>
    Effect.gen(function* () {
      const { built, devnet, horizon, rpc } = yield* Stellar
      const [victim, other] = [yield* settled, yield* settled]
      const skip = Operation.bumpSequence({
        bumpTo: (2n ** 62n).toString(),
        source: victim.publicKey()
      })
      // The order in a ledger follows from the hashes, so the one that skips is made until it comes first.
      const paying = yield* built(victim, [one(other.publicKey())])
      let skipping = yield* built(other, [skip], { signers: [other, victim] })
      for (let maxTime = 4_000_000_000; hex(skipping.hash()) > hex(paying.hash()); maxTime++) {
        skipping = yield* built(other, [skip], { signers: [other, victim], maxTime })
      }
      yield* Effect.promise(async () => {
        assert.strictEqual((await rpc.sendTransaction(paying)).status, "PENDING")
        assert.strictEqual((await rpc.sendTransaction(skipping)).status, "PENDING")
      })
      yield* devnet.faucet.close(1)
      const read = yield* Effect.promise(() => horizon.transactions().transaction(hex(paying.hash())).call())
      assert.isFalse(read.successful)
      assert.deepStrictEqual(yield* verdictOf(paying), { status: 400, transaction: "tx_bad_seq" })
    })
  )

  it.effect("cannot promise the same coin for several fees", () =>
    Effect.gen(function* () {
      const { built, devnet, funded, rpc } = yield* Stellar
      const payer = yield* settled
      const [first, second] = [yield* settled, yield* settled]
      const bumped = (inner: Effect.Success<ReturnType<typeof built>>) => {
        const bump = TransactionBuilder.buildFeeBumpTransaction(payer, "300000000", inner, devnet.networkPassphrase)
        bump.sign(payer)
        return bump
      }
      const [early, late] = [
        bumped(yield* built(first, [one(funded.publicKey())])),
        bumped(yield* built(second, [one(funded.publicKey())]))
      ]
      yield* Effect.promise(async () => {
        assert.strictEqual((await rpc.sendTransaction(early)).status, "PENDING")
        const refused = await rpc.sendTransaction(late)
        assert.strictEqual(refused.errorResult?.result.type, "txInsufficientBalance")
      })
      yield* devnet.faucet.close(1)
      assert.strictEqual(yield* Effect.promise(async () => (await rpc.sendTransaction(late)).status), "PENDING")
    })
  )
})
