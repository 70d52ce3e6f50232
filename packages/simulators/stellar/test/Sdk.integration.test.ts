import { assert, layer } from "@effect/vitest"
import {
  AccountRequiresMemoError,
  Asset,
  BASE_FEE,
  hash,
  Keypair,
  Memo,
  MuxedAccount,
  Account,
  NotFoundError,
  Operation,
  rpc as Rpc,
  TransactionBuilder,
  xdr
} from "@stellar/stellar-sdk"
import { Effect } from "effect"
import { Stellar, verdictOf } from "./support.ts"

const usdcOf = (usdc: string): Asset => {
  const [code = "", issuer = ""] = usdc.split(":")
  return new Asset(code, issuer)
}

/** A record without the type of its kind, which the test is to find out. */
const shown = (record: object | undefined): Readonly<Record<string, unknown>> => ({ ...record })

layer(Stellar.layer(), { excludeTestServices: true })("the stock SDK on the local network", (it) => {
  it.effect("pays coin to a muxed address with a memo, and reads it back every way", () =>
    Effect.gen(function* () {
      const { built, funded, horizon, newAccount } = yield* Stellar
      const to = (yield* newAccount).publicKey()
      const muxed = new MuxedAccount(new Account(to, "0"), "77").accountId()
      const operation = Operation.payment({ destination: muxed, asset: Asset.native(), amount: "12.3456789" })
      const transaction = yield* built(funded, [operation], { memo: Memo.text("Grüße") })
      yield* Effect.promise(async () => {
        const submitted = await horizon.submitTransaction(transaction)
        assert.isTrue(submitted.successful)
        const read = await horizon.transactions().transaction(submitted.hash).call()
        assert.strictEqual(read.hash, Buffer.from(transaction.hash()).toString("hex"))
        assert.strictEqual(read.memo, "Grüße")
        assert.strictEqual(read.memo_type, "text")
        assert.strictEqual(Buffer.from(read.memo_bytes ?? "", "base64").toString(), "Grüße")
        const ledger = await read.ledger()
        assert.strictEqual(ledger.successful_transaction_count, 1)
        assert.strictEqual(ledger.operation_count, 1)
        for (const page of [
          await horizon.payments().forAccount(to).order("desc").limit(1).join("transactions").call(),
          await horizon.payments().forLedger(ledger.sequence).join("transactions").call(),
          await horizon.operations().forTransaction(submitted.hash).join("transactions").call()
        ]) {
          const [payment] = page.records
          assert.deepInclude(shown(payment), {
            type: "payment",
            amount: "12.3456789",
            asset_type: "native",
            from: funded.publicKey(),
            to,
            to_muxed: muxed,
            to_muxed_id: "77",
            transaction_hash: submitted.hash
          })
          assert.strictEqual((await payment?.transaction())?.memo, "Grüße")
        }
        const balance = (await horizon.loadAccount(to)).balances.find(({ asset_type }) => asset_type === "native")
        assert.strictEqual(balance?.balance, "112.3456789")
      })
    })
  )

  it.effect("trusts, receives and sends an asset", () =>
    Effect.gen(function* () {
      const { built, devnet, horizon, newAccount, rpc } = yield* Stellar
      const usdc = usdcOf(devnet.usdc)
      const [holder, other] = [yield* newAccount, yield* newAccount]
      for (const key of [holder, other]) {
        yield* verdictOf(yield* built(key, [Operation.changeTrust({ asset: usdc, limit: "1000" })]))
      }
      yield* devnet.faucet.pay(holder.publicKey(), devnet.usdc, 50_0000000n)
      const payment = Operation.payment({ destination: other.publicKey(), asset: usdc, amount: "20.5" })
      assert.deepStrictEqual(yield* verdictOf(yield* built(holder, [payment])), {
        status: 200,
        transaction: "tx_success"
      })
      yield* Effect.promise(async () => {
        const [line] = (await horizon.loadAccount(other.publicKey())).balances
        assert.deepInclude(shown(line), {
          asset_type: "credit_alphanum4",
          asset_code: "USDC",
          asset_issuer: usdc.getIssuer(),
          balance: "20.5000000",
          limit: "1000.0000000",
          is_authorized: true
        })
        const entry = await rpc.getTrustline(holder.publicKey(), usdc)
        assert.strictEqual(entry.balance, 29_5000000n)
        const held = await rpc.getAssetBalance(other.publicKey(), usdc)
        assert.strictEqual(held.balanceEntry?.amount, "205000000")
      })
    })
  )

  it.effect("merges an account, and says in the effects what moved", () =>
    Effect.gen(function* () {
      const { built, horizon, newAccount } = yield* Stellar
      const [gone, into] = [yield* newAccount, yield* newAccount]
      const transaction = yield* built(gone, [Operation.accountMerge({ destination: into.publicKey() })])
      yield* Effect.promise(async () => {
        const { hash: id } = await horizon.submitTransaction(transaction)
        const [merge] = (await horizon.operations().forTransaction(id).call()).records
        assert.deepInclude(shown(merge), { type: "account_merge", account: gone.publicKey(), into: into.publicKey() })
        const effects = (
          await horizon
            .effects()
            .forOperation(merge?.id ?? "")
            .call()
        ).records
        assert.deepInclude(shown(effects.find(({ type }) => type === "account_credited")), {
          account: into.publicKey(),
          amount: "99.9999900",
          asset_type: "native"
        })
        const missing = await horizon.loadAccount(gone.publicKey()).then(
          () => undefined,
          (error: unknown) => error
        )
        assert.instanceOf(missing, NotFoundError)
      })
    })
  )

  it.effect("changes between coin and dollars on a path", () =>
    Effect.gen(function* () {
      const { built, devnet, funded, horizon, newAccount } = yield* Stellar
      const usdc = usdcOf(devnet.usdc)
      const receiver = (yield* newAccount).publicKey()
      const receive = Operation.pathPaymentStrictReceive({
        sendAsset: usdc,
        sendMax: "8",
        destination: receiver,
        destAsset: Asset.native(),
        destAmount: "7"
      })
      const send = Operation.pathPaymentStrictSend({
        sendAsset: usdc,
        sendAmount: "3",
        destination: receiver,
        destAsset: Asset.native(),
        destMin: "2"
      })
      const transaction = yield* built(funded, [receive, send], { fee: "200" })
      yield* Effect.promise(async () => {
        const { hash: id } = await horizon.submitTransaction(transaction)
        const { records } = await horizon.payments().forTransaction(id).call()
        assert.deepInclude(shown(records[0]), {
          type: "path_payment_strict_receive",
          amount: "7.0000000",
          asset_type: "native",
          source_amount: "7.0000000",
          source_asset_code: "USDC"
        })
        assert.deepInclude(shown(records[1]), {
          type: "path_payment_strict_send",
          amount: "3.0000000",
          asset_type: "native"
        })
        const native = (await horizon.loadAccount(receiver)).balances.at(-1)
        assert.strictEqual(native?.balance, "110.0000000")
      })
    })
  )

  it.effect("has another pay the fee, and finds the transaction by both hashes", () =>
    Effect.gen(function* () {
      const { built, devnet, funded, horizon, newAccount } = yield* Stellar
      const poor = yield* newAccount
      const payment = Operation.payment({ destination: funded.publicKey(), asset: Asset.native(), amount: "99" })
      const inner = yield* built(poor, [payment])
      const bump = TransactionBuilder.buildFeeBumpTransaction(funded, "300", inner, devnet.networkPassphrase)
      bump.sign(funded)
      assert.deepInclude(yield* verdictOf(bump), { status: 200 })
      yield* Effect.promise(async () => {
        const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")
        const outer = await horizon.transactions().transaction(hex(bump.hash())).call()
        const asInner = await horizon.transactions().transaction(hex(inner.hash())).call()
        assert.strictEqual(outer.hash, hex(bump.hash()))
        assert.strictEqual(asInner.hash, hex(inner.hash()))
        assert.strictEqual(asInner.fee_bump_transaction?.hash, outer.hash)
        assert.strictEqual(outer.inner_transaction?.hash, asInner.hash)
        assert.strictEqual(outer.fee_account, funded.publicKey())
        assert.strictEqual(String(outer.fee_charged), "200")
        const native = (await horizon.loadAccount(poor.publicKey())).balances.at(-1)
        assert.strictEqual(native?.balance, "1.0000000")
      })
    })
  )

  it.effect("heeds the wish of an account for a memo", () =>
    Effect.gen(function* () {
      const { built, funded, horizon, newAccount } = yield* Stellar
      const wishing = yield* newAccount
      const wish = Operation.manageData({ name: "config.memo_required", value: "1" })
      assert.deepInclude(yield* verdictOf(yield* built(wishing, [wish])), { status: 200 })
      const payment = Operation.payment({ destination: wishing.publicKey(), asset: Asset.native(), amount: "1" })
      const without = yield* built(funded, [payment])
      const refused = yield* Effect.promise(() =>
        horizon.submitTransaction(without).then(String, (error: unknown) => error)
      )
      assert.instanceOf(refused, AccountRequiresMemoError)
      const withMemo = yield* built(funded, [payment], { memo: Memo.id("18446744073709551615") })
      const { hash: id } = yield* Effect.promise(() => horizon.submitTransaction(withMemo))
      const { memo, memo_type } = yield* Effect.promise(() => horizon.transactions().transaction(id).call())
      assert.deepStrictEqual([memo_type, memo], ["id", "18446744073709551615"])
    })
  )

  it.effect("pages through history in both directions", () =>
    Effect.gen(function* () {
      const { built, funded, horizon, newAccount } = yield* Stellar
      const to = (yield* newAccount).publicKey()
      const payments = [1, 2, 3, 4, 5].map((amount) =>
        Operation.payment({ destination: to, asset: Asset.native(), amount: String(amount) })
      )
      yield* verdictOf(yield* built(funded, payments.slice(0, 3), { fee: "300" }))
      yield* verdictOf(yield* built(funded, payments.slice(3), { fee: "200" }))
      yield* Effect.promise(async () => {
        const amounts: Array<string> = []
        let page = await horizon.payments().forAccount(to).limit(2).order("asc").call()
        while (page.records.length > 0) {
          amounts.push(...page.records.map((record) => ("amount" in record ? String(record.amount) : "created")))
          page = await page.next()
        }
        const ascending = ["created", "1.0000000", "2.0000000", "3.0000000", "4.0000000", "5.0000000"]
        assert.deepStrictEqual(amounts, ascending)
        const last = await horizon.payments().forAccount(to).limit(4).order("desc").call()
        const tokens = last.records.map((record) => BigInt(record.paging_token))
        assert.deepStrictEqual(
          tokens,
          tokens.toSorted((one, other) => (one > other ? -1 : 1))
        )
        const rest = await last.next()
        assert.strictEqual(rest.records.length, 2)
        assert.strictEqual((await rest.prev()).records.length, 4)
        const now = await horizon.payments().forAccount(to).cursor("now").call()
        assert.strictEqual(now.records.length, 0)
      })
    })
  )

  it.effect("tells which network it is, how far it has come and what it costs", () =>
    Effect.gen(function* () {
      const { devnet, horizon } = yield* Stellar
      yield* Effect.promise(async () => {
        const root = await horizon.root()
        assert.strictEqual(root.network_passphrase, devnet.networkPassphrase)
        const [latest] = (await horizon.ledgers().order("desc").limit(1).call()).records
        assert.strictEqual(root.history_latest_ledger, latest?.sequence)
        assert.strictEqual(await horizon.fetchBaseFee(), Number(BASE_FEE))
        assert.strictEqual((await horizon.feeStats()).fee_charged.p50, "100")
      })
    })
  )

  it.effect("closes ledgers whose headers hash to their names and name their parents", () =>
    Effect.gen(function* () {
      const { devnet, horizon } = yield* Stellar
      yield* devnet.faucet.close(3)
      const { records } = yield* Effect.promise(() => horizon.ledgers().limit(200).call())
      assert.isAbove(records.length, 3)
      for (const [index, ledger] of records.entries()) {
        const bytes = Buffer.from(ledger.header_xdr, "base64")
        assert.strictEqual(Buffer.from(hash(bytes)).toString("hex"), ledger.hash)
        const header = xdr.LedgerHeader.fromXdr(ledger.header_xdr, "base64")
        assert.strictEqual(header.ledgerSeq, ledger.sequence)
        assert.strictEqual(Number(header.scpValue.closeTime) * 1_000, Date.parse(ledger.closed_at))
        const parent = records[index - 1]
        if (parent === undefined) continue
        assert.strictEqual(ledger.prev_hash, parent.hash)
        assert.isAbove(Date.parse(ledger.closed_at), Date.parse(parent.closed_at))
      }
    })
  )

  it.effect("hands in through Stellar RPC and learns what became of it", () =>
    Effect.gen(function* () {
      const { built, devnet, funded, newAccount, rpc } = yield* Stellar
      const to = (yield* newAccount).publicKey()
      const payment = Operation.payment({ destination: to, asset: Asset.native(), amount: "1" })
      const transaction = yield* built(funded, [payment])
      yield* Effect.promise(async () => {
        const unknown = await rpc.getTransaction("ab".repeat(32))
        assert.strictEqual(unknown.status, Rpc.Api.GetTransactionStatus.NOT_FOUND)
        const sent = await rpc.sendTransaction(transaction)
        assert.strictEqual(sent.status, "PENDING")
        const read = await rpc.getTransaction(sent.hash)
        assert.strictEqual(read.status, Rpc.Api.GetTransactionStatus.SUCCESS)
        assert.strictEqual(read.status === "SUCCESS" ? read.envelopeXdr.toXdr("base64") : "", transaction.toXdr())
        // As on the real network, what is in a ledger already is refused for its sequence.
        const again = await rpc.sendTransaction(transaction)
        assert.strictEqual(again.status, "ERROR")
        assert.strictEqual(again.errorResult?.result.type, "txBadSeq")
        assert.deepInclude(await rpc.getNetwork(), { passphrase: devnet.networkPassphrase })
        assert.strictEqual((await rpc.getHealth()).status, "healthy")
        const latest = await rpc.getLatestLedger()
        assert.strictEqual(latest.id, devnet.faucet.chain.head().hash)
        assert.strictEqual(latest.headerXdr.ledgerSeq, latest.sequence)
        const account = await rpc.getAccount(to)
        assert.strictEqual(account.accountId(), to)
        assert.strictEqual((await rpc.getFeeStats()).inclusionFee.p99, "100")
      })
    })
  )

  it.effect("is given coin by the friendbot, once", () =>
    Effect.gen(function* () {
      const { horizon, rpc } = yield* Stellar
      const [one, other] = [Keypair.random().publicKey(), Keypair.random().publicKey()]
      yield* Effect.promise(async () => {
        await horizon.friendbot(one).call()
        assert.strictEqual((await horizon.loadAccount(one)).balances.at(-1)?.balance, "10000.0000000")
        const again = await horizon
          .friendbot(one)
          .call()
          .then(String, (error: unknown) => error)
        assert.instanceOf(again, Error)
        const made = await rpc.requestAirdrop(other)
        assert.strictEqual(made.sequenceNumber(), (await horizon.loadAccount(other)).sequence)
      })
    })
  )

  it.effect("lists failed transactions only to those who ask for them", () =>
    Effect.gen(function* () {
      const { built, horizon, newAccount } = yield* Stellar
      const key = yield* newAccount
      const nobody = Keypair.random().publicKey()
      const failing = Operation.payment({ destination: nobody, asset: Asset.native(), amount: "1" })
      assert.deepInclude(yield* verdictOf(yield* built(key, [failing])), { operations: ["op_no_destination"] })
      yield* Effect.promise(async () => {
        const account = key.publicKey()
        const good = await horizon.transactions().forAccount(account).call()
        const all = await horizon.transactions().forAccount(account).includeFailed(true).call()
        assert.deepStrictEqual(
          [good.records, all.records].map((records) => records.map(({ successful }) => successful)),
          [[true], [true, false]]
        )
        assert.strictEqual((await horizon.payments().forAccount(account).call()).records.length, 1)
        const ledger = await horizon
          .ledgers()
          .ledger(all.records[1]?.ledger_attr ?? 0)
          .call()
        assert.deepInclude(shown(ledger), {
          successful_transaction_count: 0,
          failed_transaction_count: 1,
          operation_count: 0
        })
      })
    })
  )
})
