import { assert, layer } from "@effect/vitest"
import {
  Account,
  Asset,
  AuthRequiredFlag,
  AuthRevocableFlag,
  Keypair,
  Memo,
  Operation,
  TransactionBuilder,
  type xdr
} from "@stellar/stellar-sdk"
import { Effect } from "effect"
import { Stellar, type Terms, type Verdict, verdictOf } from "./support.ts"

const refused = (transaction: string): Verdict => ({ status: 400, transaction })

const failed = (...operations: ReadonlyArray<string>): Verdict => ({
  status: 400,
  transaction: "tx_failed",
  operations
})

const pay = (to: string, amount: string, asset = Asset.native()) =>
  Operation.payment({ destination: to, asset, amount })

const usdcOf = (usdc: string): Asset => {
  const [code = "", issuer = ""] = usdc.split(":")
  return new Asset(code, issuer)
}

const tried = (source: Keypair, operations: ReadonlyArray<xdr.Operation>, terms?: Terms) =>
  Effect.flatMap(Stellar, ({ built }) => Effect.flatMap(built(source, operations, terms), verdictOf))

const sequenceOf = (key: Keypair) =>
  Effect.flatMap(Stellar, ({ horizon }) =>
    Effect.promise(async () => BigInt((await horizon.loadAccount(key.publicKey())).sequence))
  )

layer(Stellar.layer(), { excludeTestServices: true })("what the local network refuses", (it) => {
  it.effect("a sequence that is not the next, before any fee is taken", () =>
    Effect.gen(function* () {
      const { funded, newAccount } = yield* Stellar
      const key = yield* newAccount
      const sequence = yield* sequenceOf(key)
      for (const wrong of [sequence - 1n, sequence + 1n]) {
        const verdict = yield* tried(key, [pay(funded.publicKey(), "1")], { sequence: wrong.toString() })
        assert.deepStrictEqual(verdict, refused("tx_bad_seq"))
      }
      assert.strictEqual(yield* sequenceOf(key), sequence)
    })
  )

  it.effect("a time that is past, or not yet come", () =>
    Effect.gen(function* () {
      const { devnet, funded, newAccount } = yield* Stellar
      const key = yield* newAccount
      const { time } = devnet.faucet.chain.head()
      const payment = [pay(funded.publicKey(), "1")]
      assert.deepStrictEqual(yield* tried(key, payment, { maxTime: time }), refused("tx_too_late"))
      assert.deepStrictEqual(yield* tried(key, payment, { minTime: time + 3_600 }), refused("tx_too_early"))
    })
  )

  it.effect("signatures that are missing, another's, of another network, or too many", () =>
    Effect.gen(function* () {
      const { funded, newAccount } = yield* Stellar
      const [key, stranger] = [yield* newAccount, Keypair.random()]
      const payment = [pay(funded.publicKey(), "1")]
      assert.deepStrictEqual(yield* tried(key, payment, { signers: [] }), refused("tx_bad_auth"))
      assert.deepStrictEqual(yield* tried(key, payment, { signers: [stranger] }), refused("tx_bad_auth"))
      assert.deepStrictEqual(yield* tried(key, payment, { signers: [key, stranger] }), refused("tx_bad_auth_extra"))
      const elsewhere = new TransactionBuilder(new Account(key.publicKey(), String(yield* sequenceOf(key))), {
        fee: "100",
        networkPassphrase: "Public Global Stellar Network ; September 2015"
      })
        .addOperation(pay(funded.publicKey(), "1"))
        .setTimeout(0)
        .build()
      elsewhere.sign(key)
      assert.deepStrictEqual(yield* verdictOf(elsewhere), refused("tx_bad_auth"))
      const foreign = Operation.payment({
        destination: key.publicKey(),
        asset: Asset.native(),
        amount: "1",
        source: funded.publicKey()
      })
      assert.deepStrictEqual(yield* tried(key, [foreign]), failed("op_bad_auth"))
    })
  )

  it.effect("accounts that do not exist, fees that are too low or cannot be paid", () =>
    Effect.gen(function* () {
      const { funded, newAccount } = yield* Stellar
      const nobody = Keypair.random()
      const payment = [pay(funded.publicKey(), "1")]
      assert.deepStrictEqual(yield* tried(nobody, payment, { sequence: "1" }), refused("tx_no_source_account"))
      const key = yield* newAccount
      assert.deepStrictEqual(yield* tried(key, payment, { fee: "99" }), refused("tx_insufficient_fee"))
      yield* tried(key, [pay(funded.publicKey(), "98.9999850")])
      assert.deepStrictEqual(yield* tried(key, payment), refused("tx_insufficient_balance"))
    })
  )

  it.effect("an inner transaction that is bad, in the words for both", () =>
    Effect.gen(function* () {
      const { built, devnet, funded, newAccount } = yield* Stellar
      const key = yield* newAccount
      const bumped = (inner: Effect.Success<ReturnType<typeof built>>, signer = funded) => {
        const bump = TransactionBuilder.buildFeeBumpTransaction(funded, "200", inner, devnet.networkPassphrase)
        bump.sign(signer)
        return verdictOf(bump)
      }
      const badSequence = yield* built(key, [pay(funded.publicKey(), "1")], { sequence: "5" })
      assert.deepStrictEqual(yield* bumped(badSequence), {
        status: 400,
        transaction: "tx_fee_bump_inner_failed",
        inner: "tx_bad_seq"
      })
      const failing = yield* built(key, [pay(Keypair.random().publicKey(), "1")])
      assert.deepStrictEqual(yield* bumped(failing), {
        status: 400,
        transaction: "tx_fee_bump_inner_failed",
        inner: "tx_failed",
        operations: ["op_no_destination"]
      })
      const good = yield* built(key, [pay(funded.publicKey(), "1")])
      assert.deepStrictEqual(yield* bumped(good, key), refused("tx_bad_auth"))
    })
  )

  it.effect("payments that cannot be: taken back together, with the fee and the sequence gone", () =>
    Effect.gen(function* () {
      const { devnet, funded, horizon, newAccount } = yield* Stellar
      const usdc = usdcOf(devnet.usdc)
      const [key, other] = [yield* newAccount, yield* newAccount]
      const sequence = yield* sequenceOf(key)
      const nobody = Keypair.random().publicKey()
      const cases: ReadonlyArray<readonly [ReadonlyArray<xdr.Operation>, Verdict]> = [
        [[pay(nobody, "1")], failed("op_no_destination")],
        [[pay(other.publicKey(), "99.9")], failed("op_underfunded")],
        [[pay(other.publicKey(), "1"), pay(nobody, "1")], failed("op_success", "op_no_destination")],
        [[pay(funded.publicKey(), "1", usdc)], failed("op_src_no_trust")],
        [[Operation.createAccount({ destination: nobody, startingBalance: "0.9999999" })], failed("op_low_reserve")],
        [[Operation.createAccount({ destination: nobody, startingBalance: "99.5" })], failed("op_underfunded")],
        [
          [Operation.createAccount({ destination: other.publicKey(), startingBalance: "1" })],
          failed("op_already_exists")
        ],
        [[Operation.accountMerge({ destination: nobody })], failed("op_no_account")]
      ]
      for (const [operations, expected] of cases) {
        assert.deepStrictEqual(yield* tried(key, operations, { fee: "200" }), expected)
      }
      assert.strictEqual(yield* sequenceOf(key), sequence + BigInt(cases.length))
      const account = yield* Effect.promise(() => horizon.loadAccount(key.publicKey()))
      const paid = cases.reduce((sum, [operations]) => sum + operations.length, 0) * 100
      assert.strictEqual(account.balances.at(-1)?.balance, `99.999${String(10_000 - paid).padStart(4, "0")}`)
      assert.deepStrictEqual(yield* tried(funded, [pay(other.publicKey(), "1", usdc)]), failed("op_no_trust"))
    })
  )

  it.effect("what goes over the limit of a trustline, and trustlines without the reserve for them", () =>
    Effect.gen(function* () {
      const { devnet, funded, newAccount } = yield* Stellar
      const usdc = usdcOf(devnet.usdc)
      const key = yield* newAccount
      const trust = (limit: string) => [Operation.changeTrust({ asset: usdc, limit })]
      assert.deepInclude(yield* tried(key, trust("10")), { status: 200 })
      assert.deepStrictEqual(yield* tried(funded, [pay(key.publicKey(), "10.0000001", usdc)]), failed("op_line_full"))
      assert.deepInclude(yield* tried(funded, [pay(key.publicKey(), "10", usdc)]), { status: 200 })
      assert.deepStrictEqual(yield* tried(key, trust("9")), failed("op_invalid_limit"))
      assert.deepStrictEqual(yield* tried(key, trust("0")), failed("op_invalid_limit"))
      const merge = Operation.accountMerge({ destination: funded.publicKey() })
      assert.deepStrictEqual(yield* tried(key, [merge]), failed("op_has_sub_entries"))
      const poor = yield* newAccount
      yield* tried(poor, [pay(funded.publicKey(), "98.9")])
      assert.deepStrictEqual(yield* tried(poor, trust("1")), failed("op_low_reserve"))
    })
  )

  it.effect("holders without the consent of an issuer who wants to be asked", () =>
    Effect.gen(function* () {
      const { newAccount } = yield* Stellar
      const [issuer, holder] = [yield* newAccount, yield* newAccount]
      const asset = new Asset("STRICT", issuer.publicKey())
      const flags = (authorized: boolean) => [
        Operation.setTrustLineFlags({ trustor: holder.publicKey(), asset, flags: { authorized } })
      ]
      // Both flags at once.
      const options = Operation.setOptions({ setFlags: AuthRequiredFlag | AuthRevocableFlag })
      assert.deepInclude(yield* tried(issuer, [options]), { status: 200 })
      assert.deepInclude(yield* tried(holder, [Operation.changeTrust({ asset })]), { status: 200 })
      const issue = [pay(holder.publicKey(), "5", asset)]
      assert.deepStrictEqual(yield* tried(issuer, issue), failed("op_not_authorized"))
      assert.deepInclude(yield* tried(issuer, flags(true)), { status: 200 })
      assert.deepInclude(yield* tried(issuer, issue), { status: 200 })
      assert.deepInclude(yield* tried(issuer, flags(false)), { status: 200 })
      const back = [pay(issuer.publicKey(), "1", asset)]
      assert.deepStrictEqual(yield* tried(holder, back), failed("op_src_not_authorized"))
    })
  )

  it.effect("fewer signatures than an account wants", () =>
    Effect.gen(function* () {
      const { funded, newAccount } = yield* Stellar
      const [key, second] = [yield* newAccount, Keypair.random()]
      const options = Operation.setOptions({
        medThreshold: 2,
        highThreshold: 2,
        signer: { ed25519PublicKey: second.publicKey(), weight: 1 }
      })
      assert.deepInclude(yield* tried(key, [options]), { status: 200 })
      const payment = [pay(funded.publicKey(), "1")]
      assert.deepStrictEqual(yield* tried(key, payment), failed("op_bad_auth"))
      assert.deepInclude(yield* tried(key, payment, { signers: [key, second] }), { status: 200 })
      assert.deepStrictEqual(yield* tried(key, payment, { signers: [key, key] }), failed("op_bad_auth"))
    })
  )

  it.effect("a sequence that was skipped over, and operations that could never be", () =>
    Effect.gen(function* () {
      const { built, devnet, funded, newAccount } = yield* Stellar
      const key = yield* newAccount
      const sequence = yield* sequenceOf(key)
      const early = yield* built(key, [pay(funded.publicKey(), "1")])
      const bump = Operation.bumpSequence({ bumpTo: (sequence + 10n).toString() })
      assert.deepInclude(yield* tried(key, [bump]), { status: 200 })
      assert.deepStrictEqual(yield* verdictOf(early), refused("tx_bad_seq"))
      assert.strictEqual(yield* sequenceOf(key), sequence + 10n)
      const head = devnet.faucet.chain.head().sequence
      const self = Operation.accountMerge({ destination: key.publicKey() })
      assert.deepStrictEqual(yield* tried(key, [self]), failed("op_malformed"))
      const claim = Operation.inflation({})
      assert.deepStrictEqual(yield* tried(key, [claim]), failed("op_not_supported"))
      // Such a transaction never comes into a ledger.
      assert.strictEqual(devnet.faucet.chain.head().sequence, head)
      assert.strictEqual(yield* sequenceOf(key), sequence + 10n)
    })
  )

  it.effect("envelopes that are none; and gives the earlier result of a transaction that was handed in before", () =>
    Effect.gen(function* () {
      const { built, devnet, funded, horizon, newAccount } = yield* Stellar
      const post = (tx: string) =>
        Effect.promise(async () => {
          const body = new URLSearchParams({ tx })
          const response = await fetch(`${devnet.horizonUrl}/transactions`, { method: "POST", body })
          // Both answers are objects of JSON.
          return { status: response.status, body: (await response.json()) as Readonly<Record<string, unknown>> }
        })
      const nonsense = yield* post("AAAA")
      assert.strictEqual(nonsense.status, 400)
      assert.deepInclude(nonsense.body, { title: "Transaction Malformed" })
      const key = yield* newAccount
      const good = yield* built(key, [pay(funded.publicKey(), "1")], { memo: Memo.hash("ab".repeat(32)) })
      const first = yield* post(good.toXdr())
      const second = yield* post(good.toXdr())
      assert.deepStrictEqual(second, first)
      assert.strictEqual(first.status, 200)
      assert.strictEqual(first.body["memo"], Buffer.from("ab".repeat(32), "hex").toString("base64"))
      const bad = yield* built(key, [pay(Keypair.random().publicKey(), "1")])
      assert.deepStrictEqual(yield* post(bad.toXdr()), yield* post(bad.toXdr()))
      const { records } = yield* Effect.promise(() =>
        horizon.transactions().forAccount(key.publicKey()).includeFailed(true).call()
      )
      assert.strictEqual(records.length, 3)
    })
  )
})
