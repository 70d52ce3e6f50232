import { issuerKey } from "@bursar/simulator-stellar/genesis"
import * as StellarDevnet from "@bursar/simulator-stellar/StellarDevnet"
import type { StellarFault } from "@bursar/simulator-stellar/StellarFault"
import { decode } from "@bursar/simulator-stellar/Submission"
import { makeStellarSender, type StellarSenderOptions } from "@bursar/stellar"
import { SenderWorld, type SenderFault } from "@bursar/testkit/suites/sender/SenderWorld"
import {
  Account,
  Asset,
  AuthRevocableFlag,
  Keypair,
  Operation,
  TransactionBuilder,
  type xdr
} from "@stellar/stellar-sdk/base"
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { stellarOver } from "./stellarOver.ts"

/** A local network whose ledgers close only when told to, with what else than the suite a test of stellar needs. */
export class SendingDevnet extends Context.Service<
  SendingDevnet,
  {
    readonly devnet: StellarDevnet.StellarDevnet
    readonly usdc: Asset
    /** Another sender over the same node. */
    readonly sender: (options: Partial<StellarSenderOptions>) => ReturnType<typeof makeStellarSender>
    /** Hands in operations of an account as one transaction, at its next number, past the node's faults. Its hash. */
    readonly submit: (
      source: string,
      signer: Keypair,
      operations: ReadonlyArray<xdr.Operation>
    ) => Effect.Effect<string>
    /** The key of an account of the world. */
    readonly keyOf: (address: string) => Keypair
    readonly keep: (key: Keypair) => void
  }
>()("@bursar/stellar/test/SendingDevnet") {
  static readonly layer = Layer.effect(
    SendingDevnet,
    Effect.gen(function* () {
      const devnet = yield* StellarDevnet.make({ mining: "manual" })
      const { faucet, networkPassphrase } = devnet
      const { chain } = faucet
      const [code = "", issuer = ""] = devnet.usdc.split(":")
      const keys = new Map<string, Keypair>()
      const submit = (source: string, signer: Keypair, operations: ReadonlyArray<xdr.Operation>) =>
        Effect.sync(() => {
          const sequence = chain.accounts(chain.head().sequence).get(source)?.sequence ?? 0n
          const builder = new TransactionBuilder(new Account(source, sequence.toString()), {
            fee: "100",
            networkPassphrase
          })
          for (const operation of operations) builder.addOperation(operation)
          const transaction = builder.setTimeout(0).build()
          transaction.sign(signer)
          const submission = decode(transaction.toXdr(), networkPassphrase)
          const status = submission === undefined ? "unreadable" : chain.submit(submission, chain.head().time).status
          if (submission === undefined || status !== "PENDING") throw new Error(`the world's transaction is ${status}`)
          return submission.hash
        })
      yield* faucet.close(16)
      // So that the issuer can take its consent back.
      yield* submit(issuer, issuerKey(networkPassphrase), [Operation.setOptions({ setFlags: AuthRevocableFlag })])
      yield* faucet.close(1)
      return SendingDevnet.of({
        devnet,
        usdc: new Asset(code, issuer),
        sender: (options) =>
          makeStellarSender({
            horizonUrl: Redacted.make(devnet.horizonUrl),
            networkPassphrase,
            assets: [devnet.usdc],
            ...options
          }),
        submit,
        keyOf: (address) => {
          const key = keys.get(address)
          if (key === undefined) throw new Error(`the world has no key of ${address}`)
          return key
        },
        keep: (key) => keys.set(key.publicKey(), key)
      })
    })
  )
}

const times = 1_000_000
const broadcasts = "POST /transactions_async"

const faultOf: Readonly<Record<SenderFault, StellarFault>> = {
  silent: { kind: "drop", times },
  garbage: { kind: "garbage", times, garbage: "wrong_types" },
  empty: { kind: "empty", times },
  lagging: { kind: "lag", times, lag_blocks: 3 },
  lost_reply: { kind: "lost_reply", times, method: broadcasts },
  refuse: { kind: "refuse", times, method: broadcasts },
  duplicate: { kind: "duplicate", times }
}

/** What an account of the world holds: stroops, and base units of dollars. */
export const funds = { stroops: 1_000_000_0000n, dollars: 50_000_0000n }

/** The local network in the terms of the suite of chain senders. */
export const senderWorld = Layer.effect(
  SenderWorld,
  Effect.map(SendingDevnet, ({ devnet, keep, keyOf, submit, usdc }) => {
    const { faucet, faults, networkPassphrase } = devnet
    const { codec, sender } = stellarOver(devnet)()
    const { chain } = faucet
    const trustors: Array<string> = []
    const numbers = new Map<string, bigint>()
    const standing = (address: string) => chain.accounts(chain.head().sequence).get(address)
    const include = Effect.asVoid(faucet.close(1))
    const accountWith = Effect.fnUntraced(function* (stroops: bigint, dollars: bigint) {
      const key = Keypair.random()
      const address = key.publicKey()
      yield* faucet.pay(address, "native", stroops)
      yield* include
      yield* submit(address, key, [Operation.changeTrust({ asset: usdc })])
      yield* include
      yield* faucet.pay(address, devnet.usdc, dollars)
      yield* include
      keep(key)
      trustors.push(address)
      return address
    }, Effect.orDie)
    const account = accountWith(funds.stroops, funds.dollars)
    const large = 2n ** 53n + 1n
    return SenderWorld.of({
      sender,
      format: codec,
      contract: devnet.usdc,
      account,
      large: { coin: large, token: large },
      richAccount: accountWith(large + funds.stroops, large),
      finalAfter: 0,
      receiver: account,
      unknownHash: "ee".repeat(32),
      balance: (address, contract) =>
        Effect.sync(() => {
          const held = standing(address)
          return (contract === null ? held?.balance : held?.trustlines.get(contract)?.balance) ?? 0n
        }),
      memoOf: (hash) =>
        Effect.sync(() => {
          const memo = chain.find(hash)?.executed.submission.inner.signed.memo
          if (memo === undefined) throw new Error(`there is no transaction ${hash}`)
          if (memo.type === "none" || memo.value === null) return null
          const value = typeof memo.value === "string" ? memo.value : Buffer.from(memo.value).toString()
          return { type: memo.type, value }
        }),
      take: (address) =>
        Effect.sync(() => {
          const number = numbers.get(address) ?? (standing(address)?.sequence ?? 0n) + 1n
          numbers.set(address, number + 1n)
          return { _tag: "Sequence", account: address, sequence: number }
        }),
      validUntil: Effect.map(Clock.currentTimeMillis, (now) => Math.max(now, chain.head().time * 1_000) + 300_000),
      sign: (address, digest) => {
        const key = keyOf(address)
        return { publicKey: key.rawPublicKey(), bytes: key.sign(digest), recovery: null }
      },
      include,
      finalize: Effect.void,
      reorg: Effect.die(new Error("stellar has no reorgs")),
      rival: ({ guard }) => {
        if (guard._tag !== "Sequence") return Effect.die(new Error("stellar counts transactions"))
        const rival = submit(guard.account, keyOf(guard.account), [Operation.bumpSequence({ bumpTo: "0" })])
        return Effect.tap(rival, () => include)
      },
      expire: ({ validUntil }) => Effect.sync(() => chain.close(Math.floor((validUntil ?? 0) / 1_000) + 1)),
      setPaused: (paused) =>
        Effect.gen(function* () {
          const operations = trustors
            .slice(-50)
            .map((trustor) => Operation.setTrustLineFlags({ trustor, asset: usdc, flags: { authorized: !paused } }))
          yield* submit(usdc.getIssuer() ?? "", issuerKey(networkPassphrase), operations)
          yield* include
        }),
      breakNode: (fault) => faults.inject(faultOf[fault]),
      heal: faults.clear
    })
  })
)
