import * as StellarDevnet from "@bursar/simulator-stellar/StellarDevnet"
import {
  Account,
  type FeeBumpTransaction,
  Horizon,
  Keypair,
  NetworkError,
  type Memo,
  rpc,
  type Transaction,
  TransactionBuilder,
  type xdr
} from "@stellar/stellar-sdk"
import { Context, Effect, Layer } from "effect"

/** What a transaction is made of beside its operations. */
export interface Terms {
  readonly fee?: string
  readonly memo?: Memo
  readonly sequence?: string
  readonly signers?: ReadonlyArray<Keypair>
  readonly minTime?: number
  readonly maxTime?: number
}

/** A local network with the clients of the stock SDK. */
export class Stellar extends Context.Service<
  Stellar,
  {
    readonly devnet: StellarDevnet.StellarDevnet
    readonly horizon: Horizon.Server
    readonly rpc: rpc.Server
    readonly funded: Keypair
    /** Makes an account with 100 XLM and gives its key. */
    readonly newAccount: Effect.Effect<Keypair>
    /** Builds and signs a transaction. */
    readonly built: (
      source: Keypair,
      operations: ReadonlyArray<xdr.Operation>,
      terms?: Terms
    ) => Effect.Effect<Transaction>
  }
>()("@bursar/simulator-stellar/test/stellar/Stellar") {
  static readonly layer = (options: StellarDevnet.StellarDevnetOptions = { mining: "automine" }) =>
    Layer.effect(
      Stellar,
      Effect.gen(function* () {
        const devnet = yield* StellarDevnet.make(options)
        const horizon = new Horizon.Server(devnet.horizonUrl, { allowHttp: true })
        return Stellar.of({
          devnet,
          horizon,
          rpc: new rpc.Server(devnet.rpcUrl, { allowHttp: true }),
          funded: Keypair.fromSecret(devnet.fundedSecret),
          newAccount: Effect.suspend(() => {
            const key = Keypair.random()
            return Effect.as(Effect.orDie(devnet.faucet.pay(key.publicKey(), "native", 1_000_000_000n)), key)
          }),
          built: (source, operations, terms = {}) =>
            Effect.promise(async () => {
              const account =
                terms.sequence === undefined
                  ? await horizon.loadAccount(source.publicKey())
                  : new Account(source.publicKey(), terms.sequence)
              const builder = new TransactionBuilder(account, {
                fee: terms.fee ?? "100",
                networkPassphrase: devnet.networkPassphrase,
                timebounds: { minTime: terms.minTime ?? 0, maxTime: terms.maxTime ?? 0 }
              })
              for (const operation of operations) builder.addOperation(operation)
              if (terms.memo !== undefined) builder.addMemo(terms.memo)
              const transaction = builder.build()
              transaction.sign(...(terms.signers ?? [source]))
              return transaction
            })
        })
      })
    )
}

/** What Horizon says to a transaction: its words for the result. */
export interface Verdict {
  readonly status: number
  readonly transaction: string
  readonly inner?: string
  readonly operations?: ReadonlyArray<string>
}

interface Codes {
  readonly transaction: string
  readonly inner_transaction?: string
  readonly operations?: ReadonlyArray<string>
}

/** Hands a transaction in through Horizon, and gives its words for what became of it. */
export const verdictOf = (transaction: Transaction | FeeBumpTransaction) =>
  Effect.flatMap(Stellar, ({ horizon }) =>
    Effect.promise(async (): Promise<Verdict> => {
      try {
        await horizon.submitTransaction(transaction, { skipMemoRequiredCheck: true })
        return { status: 200, transaction: "tx_success" }
      } catch (error) {
        if (!(error instanceof NetworkError)) throw error
        const { data, status = 0 } = error.getResponse()
        // Of the several shapes that the type has, none has the codes of a transaction inside another.
        const { extras, title } = { ...data } as {
          readonly title?: string
          readonly extras?: { readonly result_codes?: Codes }
        }
        const codes = extras?.result_codes
        return {
          status,
          transaction: codes?.transaction ?? title ?? "",
          ...(codes?.inner_transaction === undefined ? {} : { inner: codes.inner_transaction }),
          ...(codes?.operations === undefined ? {} : { operations: codes.operations })
        }
      }
    })
  )
