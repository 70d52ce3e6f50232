import { rootKey } from "@bursar/simulator-stellar/genesis"
import * as StellarDevnet from "@bursar/simulator-stellar/StellarDevnet"
import type { StellarFault } from "@bursar/simulator-stellar/StellarFault"
import type { Memo as ReadMemo } from "@bursar/core/port/Chain"
import { decode } from "@bursar/simulator-stellar/Submission"
import { makeStellarReader, type StellarReader, type StellarReaderOptions } from "@bursar/stellar"
import { ChainWorld, type Mined, type NodeFault } from "@bursar/testkit/suites/chain/ChainWorld"
import { Account, Asset, Keypair, Memo, Operation, TransactionBuilder, type xdr } from "@stellar/stellar-sdk/base"
import { Context, Effect, Layer, Redacted } from "effect"
import { stellarOver } from "./stellarOver.ts"

/** What else a transaction says: a memo, and who bids for it in its stead. */
export interface Terms {
  readonly memo?: Memo
  readonly payer?: Keypair
}

/** A local network with a reader of its node. */
export class World extends Context.Service<
  World,
  {
    readonly devnet: StellarDevnet.StellarDevnet
    readonly chain: StellarReader
    /** The adapter of the same node. */
    readonly adapter: ReturnType<typeof stellarOver>
    /** Another reader of the same node. */
    readonly reader: (options: Partial<StellarReaderOptions>) => StellarReader
    readonly usdc: Asset
    readonly funded: Keypair
    /** The key of an account that holds 10 XLM, and could hold dollars. */
    readonly account: Effect.Effect<Keypair>
    /** Brings operations of one account into a ledger, as one transaction, past the node's faults. */
    readonly run: (
      source: Keypair,
      operations: ReadonlyArray<xdr.Operation>,
      terms?: Terms & { readonly mayFail?: boolean }
    ) => Effect.Effect<Mined>
    /** Brings a transaction of each account into one ledger, and gives its hash. */
    readonly together: (
      transactions: ReadonlyArray<readonly [Keypair, ReadonlyArray<xdr.Operation>, Terms?]>
    ) => Effect.Effect<string>
  }
>()("@bursar/stellar/test/World") {
  static readonly layer = Layer.effect(
    World,
    Effect.gen(function* () {
      const devnet = yield* StellarDevnet.make({ mining: "automine" })
      const { faucet, networkPassphrase } = devnet
      // Ledgers count from 1, and the suite looks some back from the first that it makes.
      yield* faucet.close(16)
      const { chain } = faucet
      const reader = (options: Partial<StellarReaderOptions>) =>
        makeStellarReader({
          horizonUrl: Redacted.make(devnet.horizonUrl),
          networkPassphrase,
          assets: [devnet.usdc],
          ...options
        })
      const decodedOf = (envelope: string) => {
        const submission = decode(envelope, networkPassphrase)
        if (submission === undefined) throw new Error("the transaction cannot be read")
        return submission
      }
      const [code = "", issuer = ""] = devnet.usdc.split(":")
      const usdc = new Asset(code, issuer)

      const built = (source: Keypair, operations: ReadonlyArray<xdr.Operation>, { memo, payer }: Terms = {}) => {
        const sequence = chain.accounts(chain.head().sequence).get(source.publicKey())?.sequence ?? 0n
        const builder = new TransactionBuilder(new Account(source.publicKey(), sequence.toString()), {
          fee: "100",
          networkPassphrase
        })
        for (const operation of operations) builder.addOperation(operation)
        if (memo !== undefined) builder.addMemo(memo)
        const transaction = builder.setTimeout(0).build()
        transaction.sign(source)
        if (payer === undefined) return transaction.toXdr()
        const outer = TransactionBuilder.buildFeeBumpTransaction(payer, "200", transaction, networkPassphrase)
        outer.sign(payer)
        return outer.toXdr()
      }

      const submitted = (envelope: string, mayFail = false): Mined => {
        const submission = decodedOf(envelope)
        const { status } = faucet.submit(submission, chain.head().time)
        const found = chain.find(submission.hash)
        if (found === undefined || !(found.executed.successful || mayFail))
          throw new Error(`${status}, and not in a ledger`)
        return { txHash: submission.hash, blockHash: found.ledger.hash }
      }

      const run: (typeof World)["Service"]["run"] = (source, operations, { mayFail, ...terms } = {}) =>
        Effect.sync(() => submitted(built(source, operations, terms), mayFail))

      return World.of({
        devnet,
        reader,
        chain: reader({}),
        adapter: stellarOver(devnet),
        usdc,
        funded: Keypair.fromSecret(devnet.fundedSecret),
        account: Effect.gen(function* () {
          const key = Keypair.random()
          yield* Effect.orDie(faucet.pay(key.publicKey(), "native", 10_0000000n))
          yield* run(key, [Operation.changeTrust({ asset: usdc })])
          return key
        }),
        run,
        together: (transactions) =>
          Effect.sync(() => {
            const { time } = chain.head()
            for (const [source, operations, terms] of transactions) {
              const submitted = chain.submit(decodedOf(built(source, operations, terms)), time)
              if (submitted.status !== "PENDING") throw new Error(submitted.status)
            }
            return chain.close(time).hash
          })
      })
    })
  )
}

const faultOf: Readonly<Record<NodeFault, StellarFault>> = {
  silent: { kind: "drop", times: 1_000_000 },
  garbage: { kind: "garbage", times: 1_000_000, garbage: "wrong_types" },
  empty: { kind: "empty", times: 1_000_000 },
  lagging: { kind: "lag", times: 1_000_000, lag_blocks: 3 }
}

const textOf = (units: bigint) => `${units / 10_000_000n}.${String(units % 10_000_000n).padStart(7, "0")}`

/** A memo as the suites know it, as the SDK does. */
export const sdkMemo = ({ type, value }: ReadMemo): Memo =>
  ({ text: Memo.text, id: Memo.id, hash: Memo.hash, return: Memo.return })[type](value)

/** More of an asset than anybody holds, to be sent in vain. */
export const tooMuch = 9n * 10n ** 18n

/** The world in the terms of the suite of chain readers. */
export const chainWorld = Layer.effect(
  ChainWorld,
  Effect.map(World, ({ account, adapter, devnet, funded, run, usdc }) => {
    const pay = (to: string, units: bigint, asset: Asset) =>
      Operation.payment({ destination: to, asset, amount: textOf(units) })
    const keys = new Map<string, Keypair>()
    const root = rootKey(devnet.networkPassphrase)
    const other = new Asset("EURC", funded.publicKey())
    const another = `EURC:${funded.publicKey()}`
    return ChainWorld.of({
      reader: adapter({ assets: [devnet.usdc, another] }).reader,
      address: Effect.map(account, (key) => {
        keys.set(key.publicKey(), key)
        return key.publicKey()
      }),
      unknownHash: "ee".repeat(32),
      token: devnet.usdc,
      anotherToken: another,
      large: { coin: 2n ** 53n + 1n, token: 20_000_000_000_001n },
      finalAfter: 0,
      sendOther: Effect.fnUntraced(function* (to, units) {
        const counterfeiter = yield* account
        const fake = new Asset("USDC", counterfeiter.publicKey())
        yield* run(keys.get(to) ?? funded, [Operation.changeTrust({ asset: fake })])
        return yield* run(counterfeiter, [pay(to, units, fake)])
      }),
      sendFailing: (to) => run(funded, [pay(to, tooMuch, usdc)], { mayFail: true }),
      sendWithMemo: (to, units, memo) => run(funded, [pay(to, units, Asset.native())], { memo: sdkMemo(memo) }),
      send: Effect.fnUntraced(function* (to, units, contract) {
        if (contract === another) yield* run(keys.get(to) ?? funded, [Operation.changeTrust({ asset: other })])
        const asset = contract === another ? other : usdc
        const payer = contract === null ? root : funded
        const sent = yield* run(payer, [pay(to, units, contract === null ? Asset.native() : asset)])
        return { ...sent, from: payer.publicKey() }
      }),
      sendMany: (to, amounts, contract) =>
        run(
          funded,
          amounts.map((units) => pay(to, units, contract === null ? Asset.native() : usdc))
        ),
      mine: (count) => Effect.asVoid(devnet.faucet.close(count)),
      reorg: () => Effect.die(new Error("stellar has no reorgs")),
      breakNode: (fault) => devnet.faults.inject(faultOf[fault]),
      heal: devnet.faults.clear
    })
  })
)
