import {
  Account,
  Asset,
  type Keypair,
  type Memo,
  Operation,
  TransactionBuilder,
  type xdr
} from "@stellar/stellar-sdk/base"
import { Clock, Effect } from "effect"
import { DevnetError } from "@bursar/simulator-kit/DevnetError"
import { accountOf } from "./address.ts"
import type { Chain, Found, Submitted } from "./Chain.ts"
import { assetOf } from "./entries.ts"
import { issuerKey, rootKey } from "./genesis.ts"
import type { Ledger } from "./Ledger.ts"
import { baseFee, baseReserve, issuer } from "./network.ts"
import { codesOf } from "./result.ts"
import { decode, type Submission } from "./Submission.ts"
import { textOf } from "./units.ts"

/** Moves the local network past the faults of its node. */
export interface StellarFaucet {
  readonly chain: Chain
  /** Closes ledgers now. Each is at least a second later than the one before, so that time may run ahead of the clock. */
  readonly close: (count: number) => Effect.Effect<Ledger>
  /** Hands in a transaction at a time in seconds; closes a ledger over it if that is how the network closes them. */
  readonly submit: (submission: Submission, now: number) => Submitted
  /** Pays coin (`native`) or an asset of the network's issuer. An account that does not exist yet is made. */
  readonly pay: (
    to: string,
    asset: string,
    units: bigint,
    memo?: Memo
  ) => Effect.Effect<{ readonly hash: string; readonly found: Found | undefined }, DevnetError>
}

const refused = (message: string, hint: string) => new DevnetError({ code: "rpc_failed", message, hint })

const hints: Readonly<Record<string, string>> = {
  op_no_trust: "The account must first agree to hold the asset, with a change_trust operation.",
  op_line_full: "The account has agreed to hold no more than that.",
  op_low_reserve: `A new account needs ${textOf(2n * baseReserve)} XLM at least.`
}

const explained = (result: xdr.TransactionResultWire): DevnetError => {
  const { operations = [], transaction } = codesOf(result)
  const code = operations.find((one) => one !== "op_success")
  return refused(
    `the network refuses it: ${code ?? transaction}`,
    hints[code ?? ""] ?? "Look the code up in Horizon's manual."
  )
}

/**
 * Pays from the accounts that the network begins with. Ledgers are closed `at once` over what is handed in, `in time` (but
 * over a payment from here at once), or only when told to.
 */
export const make = (chain: Chain, closes: "at once" | "in time" | "when told"): StellarFaucet => {
  const now = Effect.map(Clock.currentTimeMillis, (ms) => Math.floor(ms / 1_000))

  const close: StellarFaucet["close"] = (count) =>
    Effect.map(now, (time) => {
      for (let done = 0; done < count; done++) chain.close(time)
      return chain.head()
    })

  const submit: StellarFaucet["submit"] = (submission, time) => {
    const submitted = chain.submit(submission, time)
    if (closes === "at once" && submitted.status === "PENDING") chain.close(time)
    return submitted
  }

  const signed = (source: string, key: Keypair, operation: xdr.Operation, memo: Memo | undefined) => {
    const account = chain.accounts(chain.head().sequence).get(source)
    const builder = new TransactionBuilder(new Account(source, (account?.sequence ?? 0n).toString()), {
      fee: baseFee.toString(),
      networkPassphrase: chain.passphrase
    })
    if (memo !== undefined) builder.addMemo(memo)
    const transaction = builder.addOperation(operation).setTimeout(0).build()
    transaction.sign(key)
    return decode(transaction.toXdr(), chain.passphrase)
  }

  const operationTo = (to: string, asset: string, units: bigint) => {
    const exists = chain.accounts(chain.head().sequence).has(accountOf(to))
    const amount = textOf(units)
    if (asset !== "native") return Operation.payment({ destination: to, asset: assetOf(asset), amount })
    if (exists) return Operation.payment({ destination: to, asset: Asset.native(), amount })
    return to.startsWith("M") ? undefined : Operation.createAccount({ destination: to, startingBalance: amount })
  }

  const pay: StellarFaucet["pay"] = Effect.fn("StellarFaucet.pay")(function* (to, asset, units, memo) {
    const operation = operationTo(to, asset, units)
    if (operation === undefined) {
      return yield* refused(`the account of ${to} does not exist`, `Fund ${accountOf(to)} first.`)
    }
    const [source, key] =
      asset === "native"
        ? [rootKey(chain.passphrase).publicKey(), rootKey(chain.passphrase)]
        : [issuer, issuerKey(chain.passphrase)]
    const submission = signed(source, key, operation, memo)
    if (submission === undefined) return yield* Effect.die(new Error("the faucet's transaction cannot be read"))
    const time = yield* now
    const submitted = submit(submission, time)
    if (closes === "in time" && submitted.status === "PENDING") chain.close(time)
    if (submitted.status === "ERROR") return yield* explained(submitted.result)
    if (submitted.status === "TRY_AGAIN_LATER") {
      return yield* refused("another payment waits for a ledger", "Close a ledger first.")
    }
    const found = chain.find(submission.hash)
    if (found !== undefined && !found.executed.successful) return yield* explained(found.executed.result)
    return { hash: submission.hash, found }
  })

  return { chain, close, submit, pay }
}
