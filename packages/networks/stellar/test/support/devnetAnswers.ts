import { issuerKey } from "@bursar/simulator-stellar/genesis"
import * as StellarDevnet from "@bursar/simulator-stellar/StellarDevnet"
import { muxed } from "@bursar/stellar"
import {
  Account,
  Asset,
  AuthRequiredFlag,
  AuthRevocableFlag,
  Keypair,
  Memo,
  MuxedAccount,
  Operation,
  TransactionBuilder,
  xdr
} from "@stellar/stellar-sdk/base"
import { Effect } from "effect"
import { type Json, recordsIn } from "./TamperingNode.ts"

/** Answers by their kind, as `shapes.json` names it. */
export type Answers = Map<string, Array<Json>>

interface Terms {
  readonly memo?: Memo
  readonly payer?: Keypair
  readonly bounded?: boolean
  /** The account it is of, where the key signs for another. */
  readonly of?: string
  /** Names the account and the payer as parts of themselves. */
  readonly muxed?: boolean
  /** Which number it uses up; the next of its account where absent. */
  readonly sequence?: bigint
}

const coin = Asset.native()

const note = (answers: Answers, kind: string, answer: Json): void => {
  answers.set(kind, [...(answers.get(kind) ?? []), answer])
}

/** The node of a local network, asked as anybody can. */
const asking = (devnet: StellarDevnet.StellarDevnet, answers: Answers) => {
  const { horizonUrl, networkPassphrase, rpcUrl } = devnet
  const { chain } = devnet.faucet
  const fetched = (url: string, init?: RequestInit) =>
    // Both sides of the node answer objects of JSON.
    Effect.promise(async () => (await (await fetch(url, init)).json()) as Json)
  const get = (path: string) => fetched(`${horizonUrl}/${path}`)
  const noted = (kind: string, answer: Effect.Effect<Json>) =>
    Effect.tap(answer, (said) => Effect.sync(() => note(answers, kind, said)))
  const post = (path: string, tx: string) =>
    fetched(`${horizonUrl}/${path}`, { method: "POST", body: new URLSearchParams({ tx }) })

  const envelope = (source: Keypair, operations: ReadonlyArray<xdr.Operation>, terms: Terms = {}) => {
    const { bounded = false, memo = Memo.none(), payer } = terms
    const address = terms.of ?? source.publicKey()
    const held = chain.accounts(chain.head().sequence).get(address)?.sequence ?? 0n
    const before = terms.sequence === undefined ? held : terms.sequence - 1n
    const account = new Account(address, String(before))
    const builder = new TransactionBuilder(terms.muxed === true ? new MuxedAccount(account, "9") : account, {
      fee: "100",
      networkPassphrase,
      memo,
      timebounds: bounded ? { minTime: 1, maxTime: 4_000_000_000 } : { minTime: 0, maxTime: 0 }
    })
    if (bounded) builder.setLedgerbounds(1, 1_000_000).setMinAccountSequence("1")
    for (const operation of operations) builder.addOperation(operation)
    const transaction = builder.build()
    transaction.sign(source)
    if (payer === undefined) return transaction.toXdr()
    const payerAddress = terms.muxed === true ? muxed(payer.publicKey(), 8n) : payer.publicKey()
    const outer = TransactionBuilder.buildFeeBumpTransaction(payerAddress, "200", transaction, networkPassphrase)
    outer.sign(payer)
    return outer.toXdr()
  }

  return {
    get: (kind: string, path: string) => noted(kind, get(path)),
    page: (kind: (record: Json) => string, path: string) =>
      Effect.map(get(path), (answer) => {
        note(answers, "page", { _links: answer["_links"] })
        recordsIn(answer).forEach((record) => note(answers, kind(record), record))
      }),
    rpc: (method: string, params: Json = {}) => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
      const result = Effect.map(fetched(rpcUrl, { method: "POST", body }), (answer) => answer["result"])
      // The result of every method here is an object.
      return noted(`rpc ${method}`, result as Effect.Effect<Json>)
    },
    envelope,
    submit: (source: Keypair, operations: ReadonlyArray<xdr.Operation>, terms?: Terms) =>
      Effect.tap(post("transactions", envelope(source, operations, terms)), (answer) =>
        Effect.sync(() => note(answers, "hash" in answer ? "transaction" : "problem", answer))
      ),
    submitText: (kind: string, path: string, text: string) => noted(kind, post(path, text))
  }
}

/** Payments of all kinds to and from parts of accounts, changed and not. */
const payments = (funded: Keypair, to: Keypair, usdc: Asset): ReadonlyArray<xdr.Operation> => {
  const [source, destination] = [muxed(funded.publicKey(), 5n), muxed(to.publicKey(), 7n)]
  const [sent, received] = [
    { sendMax: "9", destAmount: "4" },
    { sendAmount: "5", destMin: "1" }
  ]
  return [
    Operation.payment({ source, destination, asset: coin, amount: "1" }),
    Operation.payment({ destination: to.publicKey(), asset: usdc, amount: "20" }),
    Operation.createAccount({ source, destination: Keypair.random().publicKey(), startingBalance: "3" }),
    Operation.pathPaymentStrictReceive({
      source,
      destination,
      sendAsset: coin,
      destAsset: usdc,
      path: [usdc],
      ...sent
    }),
    Operation.pathPaymentStrictReceive({
      source,
      destination,
      sendAsset: usdc,
      destAsset: coin,
      path: [coin],
      ...sent
    }),
    Operation.pathPaymentStrictSend({
      source,
      destination,
      sendAsset: usdc,
      destAsset: coin,
      path: [coin],
      ...received
    }),
    Operation.pathPaymentStrictSend({
      source,
      destination,
      sendAsset: coin,
      destAsset: usdc,
      path: [usdc],
      ...received
    })
  ]
}

/** What else an account can do, each from another state to another. */
const settings = (account: Keypair, signer: Keypair, usdc: Asset): ReadonlyArray<ReadonlyArray<xdr.Operation>> => {
  const [source, ed25519PublicKey] = [muxed(account.publicKey(), 6n), signer.publicKey()]
  const weights = { masterWeight: 2, lowThreshold: 1, medThreshold: 1, highThreshold: 1 }
  return [
    [
      Operation.setOptions({ homeDomain: "example.org", setFlags: AuthRevocableFlag, ...weights, source }),
      Operation.setOptions({ setFlags: AuthRequiredFlag }),
      Operation.setOptions({ clearFlags: AuthRequiredFlag }),
      Operation.setOptions({ signer: { ed25519PublicKey, weight: 1 } }),
      Operation.setOptions({ clearFlags: AuthRevocableFlag, signer: { ed25519PublicKey, weight: 3 } }),
      Operation.manageData({ name: "kept", value: "b" }),
      Operation.manageData({ name: "kept", value: "c" }),
      Operation.manageData({ name: "gone", value: "d" }),
      Operation.manageData({ name: "gone", value: null }),
      Operation.changeTrust({ asset: usdc, source }),
      Operation.changeTrust({ asset: usdc, limit: "500" })
    ],
    [
      Operation.changeTrust({ asset: usdc, limit: "0" }),
      Operation.setOptions({ signer: { ed25519PublicKey, weight: 0 } }),
      Operation.bumpSequence({ bumpTo: String(2n ** 60n) })
    ]
  ]
}

/** Everything that the local network is known to say, of one short history, by its kind. */
export const devnetAnswers = Effect.gen(function* () {
  const devnet = yield* StellarDevnet.make({ mining: "automine" })
  const answers: Answers = new Map()
  const { envelope, get, page, rpc, submit, submitText } = asking(devnet, answers)
  const [code = "", issuer = ""] = devnet.usdc.split(":")
  const usdc = new Asset(code, issuer)
  const funded = Keypair.fromSecret(devnet.fundedSecret)
  const [one, two, merged] = [Keypair.random(), Keypair.random(), Keypair.random()]
  const friendbot = (key: Keypair) => `friendbot?addr=${key.publicKey()}`
  for (const key of [one, two, merged]) yield* get("transaction", friendbot(key))
  yield* get("problem", friendbot(one))
  yield* submit(one, [Operation.changeTrust({ asset: usdc })])
  yield* submit(funded, payments(funded, one, usdc), { memo: Memo.text("all"), bounded: true })
  const small = Operation.payment({ destination: two.publicKey(), asset: coin, amount: "1" })
  const paid = yield* submit(one, [small], { memo: Memo.id("1"), payer: two, muxed: true })
  yield* submit(one, [Operation.payment({ destination: two.publicKey(), asset: usdc, amount: "1" })])
  const consent = (authorized: boolean) =>
    Operation.setTrustLineFlags({ trustor: one.publicKey(), asset: usdc, flags: { authorized } })
  const consents = [Operation.setOptions({ setFlags: AuthRevocableFlag }), consent(false), consent(true)]
  yield* submit(issuerKey(devnet.networkPassphrase), consents, { of: issuer })
  for (const operations of settings(two, one, usdc)) yield* submit(two, operations)
  const merge = Operation.accountMerge({
    source: muxed(merged.publicKey(), 4n),
    destination: muxed(two.publicKey(), 3n)
  })
  yield* submit(merged, [merge])

  // What is refused, and what is neither in a ledger nor refused.
  yield* submit(one, [small], { sequence: 1n })
  yield* submitText("problem", "transactions", "AAAA")
  yield* submitText("problem", "transactions_async", "AAAA")
  const asynchronous = envelope(one, [small])
  yield* submitText("submission", "transactions_async", asynchronous)
  yield* submitText("submission", "transactions_async", asynchronous)
  yield* submitText("submission", "transactions_async", envelope(one, [small], { sequence: 1n }))

  const { sequence } = devnet.faucet.chain.head()
  const type = (kind: string) => (record: Json) => `${kind} ${String(record["type"])}`
  for (let ledger = 1; ledger <= sequence; ledger++) {
    yield* get("ledger", `ledgers/${ledger}`)
    yield* page(() => "transaction", `ledgers/${ledger}/transactions?include_failed=true&limit=200`)
    yield* page(type("operation"), `ledgers/${ledger}/operations?include_failed=true&limit=200`)
    yield* page(type("operation"), `ledgers/${ledger}/operations?join=transactions&limit=200`)
    yield* page(type("effect"), `ledgers/${ledger}/effects?limit=200`)
  }
  for (const key of [one, two, funded]) yield* get("account", `accounts/${key.publicKey()}`)
  yield* get("account_data", `accounts/${two.publicKey()}/data/kept`)
  const inner = paid["inner_transaction"]
  // A transaction for which somebody else bids has one inside.
  yield* get("transaction", `transactions/${String((inner as Json | undefined)?.["hash"])}`)
  for (const path of ["", "fee_stats"]) yield* get(path === "" ? "root" : path, path)
  for (const path of [
    "accounts/x",
    "ledgers/999999",
    "ledgers/x",
    "transactions/x",
    "operations?cursor=x",
    "nothing"
  ]) {
    yield* get("problem", path)
  }
  yield* get("problem", `transactions/${"ee".repeat(32)}`)

  for (const method of ["getNetwork", "getHealth", "getLatestLedger", "getFeeStats", "getVersionInfo"])
    yield* rpc(method)
  yield* rpc("getTransaction", { hash: paid["hash"] })
  yield* rpc("getTransaction", { hash: "ee".repeat(32) })
  yield* rpc("sendTransaction", { transaction: envelope(one, [small]) })
  yield* rpc("sendTransaction", { transaction: envelope(one, [small], { sequence: 1n }) })
  const key = xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId: one.xdrPublicKey() }))
  yield* rpc("getLedgerEntries", { keys: [key.toXdr("base64")] })
  return answers
})
