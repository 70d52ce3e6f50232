import { realNode } from "@bursar/testkit/fixtures/realNode"
import {
  Account,
  Asset,
  AuthRevocableFlag,
  Keypair,
  type Memo,
  Networks,
  Operation,
  TransactionBuilder,
  type xdr
} from "@stellar/stellar-sdk/base"
import { Context, Effect, Layer, Schedule } from "effect"
import type { Json } from "./TamperingNode.ts"

/** A Horizon that tests may use, where one is named. */
export const horizon = realNode("HORIZON_URL")

/** What closes its ledgers when a test says so, where that is named; otherwise they close by themselves. */
export const core = realNode("STELLAR_CORE_URL")

/** A transaction in a ledger. */
export interface Included {
  readonly hash: string
  readonly ledgerHash: string
}

const lookEvery = Schedule.spaced("50 millis")

/** Networks that are not for tests. */
const foreign: ReadonlySet<string> = new Set([Networks.PUBLIC, Networks.TESTNET, Networks.FUTURENET])

const asked = (url: string, init?: RequestInit) =>
  Effect.promise(async () => {
    const response = await fetch(url, init)
    // Horizon answers objects of JSON.
    return { status: response.status, body: (await response.json()) as Json }
  })

/** A private stellar network behind a Horizon, whose root account pays for everything, with an asset of its own. */
export class HorizonNode extends Context.Service<
  HorizonNode,
  {
    readonly url: string
    readonly networkPassphrase: string
    readonly asset: Asset
    /** The issuer of the asset, which may take its consent back, and a holder of much coin and of the asset. */
    readonly issuer: Keypair
    readonly bank: Keypair
    /** What Horizon answers; undefined where it says that there is nothing. */
    readonly get: (path: string) => Effect.Effect<Json | undefined>
    /** Lets so many ledgers close, as Horizon sees them. */
    readonly close: (count: number) => Effect.Effect<void>
    /** The sequence number that an account has used up last. */
    readonly sequenceOf: (address: string) => Effect.Effect<bigint>
    /** Brings operations of an account into a ledger. What fails there is a defect, unless it may. */
    readonly submit: (
      source: Keypair,
      operations: ReadonlyArray<xdr.Operation>,
      terms?: { readonly memo?: Memo; readonly mayFail?: boolean }
    ) => Effect.Effect<Included>
    /** A new account with 1,000 of coin that can hold the asset. */
    readonly account: Effect.Effect<Keypair>
  }
>()("@bursar/stellar/test/HorizonNode") {
  static readonly layer = Layer.effect(
    HorizonNode,
    Effect.gen(function* () {
      const url = (horizon.found ?? "").replace(/\/+$/u, "")
      const get = (path: string) =>
        Effect.flatMap(asked(`${url}/${path}`), ({ body, status }) => {
          if (status === 200) return Effect.succeed<Json | undefined>(body)
          if (status === 404) return Effect.succeed(undefined)
          return Effect.die(new Error(`${path}: ${JSON.stringify(body)}`))
        })
      const height = Effect.map(get(""), (root) => Number(root?.["history_latest_ledger"]))
      const networkPassphrase = String((yield* get(""))?.["network_passphrase"])
      if (foreign.has(networkPassphrase)) return yield* Effect.die(new Error(`${networkPassphrase}: not for tests`))

      const closeOne = Effect.gen(function* () {
        const before = yield* height
        if (core.found !== undefined) yield* Effect.promise(() => fetch(`${core.found}/manualclose`))
        yield* Effect.repeat(height, { until: (now) => now > before, schedule: lookEvery })
      })
      const close = (count: number) => Effect.asVoid(Effect.repeat(closeOne, { times: count - 1 }))

      const sequenceOf = (address: string) =>
        Effect.map(get(`accounts/${address}`), (account) => BigInt(String(account?.["sequence"] ?? "0")))

      const submit: (typeof HorizonNode)["Service"]["submit"] = Effect.fnUntraced(function* (
        source,
        operations,
        { mayFail = false, memo } = {}
      ) {
        const sequence = yield* sequenceOf(source.publicKey())
        const builder = new TransactionBuilder(new Account(source.publicKey(), String(sequence)), {
          fee: "10000",
          networkPassphrase
        })
        for (const operation of operations) builder.addOperation(operation)
        if (memo !== undefined) builder.addMemo(memo)
        const transaction = builder.setTimeout(0).build()
        transaction.sign(source)
        const body = new URLSearchParams({ tx: transaction.toXdr() })
        const { body: answer } = yield* asked(`${url}/transactions_async`, { method: "POST", body })
        if (answer["tx_status"] !== "PENDING") return yield* Effect.die(new Error(JSON.stringify(answer)))
        const hash = Buffer.from(transaction.hash()).toString("hex")
        const look = Effect.andThen(closeOne, get(`transactions/${hash}`))
        const found = yield* Effect.repeat(look, { until: (said) => said !== undefined })
        if (found?.["successful"] !== true && !mayFail)
          return yield* Effect.die(new Error(`failed: ${JSON.stringify(found)}`))
        const ledger = yield* get(`ledgers/${String(found?.["ledger"])}`)
        return { hash, ledgerHash: String(ledger?.["hash"]) }
      })

      const root = Keypair.master(networkPassphrase)
      const [issuer, bank] = [Keypair.random(), Keypair.random()]
      const asset = new Asset("USDC", issuer.publicKey())
      const made = (key: Keypair, startingBalance: string) =>
        Operation.createAccount({ destination: key.publicKey(), startingBalance })
      yield* submit(root, [made(issuer, "1000"), made(bank, "1000000")])
      yield* submit(issuer, [Operation.setOptions({ setFlags: AuthRevocableFlag })])
      yield* submit(bank, [Operation.changeTrust({ asset })])
      yield* submit(issuer, [Operation.payment({ destination: bank.publicKey(), asset, amount: "1000000" })])
      return HorizonNode.of({
        url,
        networkPassphrase,
        asset,
        issuer,
        bank,
        get,
        close,
        sequenceOf,
        submit,
        account: Effect.gen(function* () {
          const key = Keypair.random()
          yield* submit(bank, [made(key, "1000")])
          yield* submit(key, [Operation.changeTrust({ asset })])
          return key
        })
      })
    })
  )
}
