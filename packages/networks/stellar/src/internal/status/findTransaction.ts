import { xdr } from "@stellar/stellar-sdk/base"
import type { Block, ChainError, Memo, Transfer } from "@bursar/core/port/Chain"
import { Effect, Result, Schema } from "effect"
import { memoOf } from "../read/memoOf.ts"
import { decoded, inconsistent } from "../rpc/NodeAnswer.ts"
import { readLedger } from "../read/readLedger.ts"
import { readOperations } from "../read/readOperations.ts"
import { accountOf } from "../read/payerOf.ts"
import { accountIn, readSigned, type Signed, sourceOf } from "../read/signed.ts"
import { transfersOf } from "../read/transfersOf.ts"
import { Account, Base64, Count, Hash, TransactionMemo } from "../rpc/wire.ts"
import type { Envelope, Leap } from "../read/Envelope.ts"
import type { SenderContext } from "../build/SenderContext.ts"

/** A transaction of history, as Horizon writes it. */
export const TransactionAnswer = Schema.Struct({
  hash: Hash,
  paging_token: Schema.String.check(Schema.isPattern(/^[0-9]{1,19}$/u)),
  successful: Schema.Boolean,
  ledger: Count,
  fee_account: Account,
  fee_charged: Schema.Union([Schema.String.check(Schema.isPattern(/^[0-9]{1,19}$/u)), Count]),
  envelope_xdr: Base64,
  result_xdr: Base64,
  ...TransactionMemo.fields
})

/** {@link TransactionAnswer} as a type. */
export type TransactionAnswer = typeof TransactionAnswer.Type

/** What the operations of a transaction raise the numbers of accounts to in a ledger. */
const leapsIn = (signed: Signed, ledger: number): ReadonlyArray<Leap> => {
  const first = BigInt(ledger) << 32n
  return signed.operations.flatMap((operation): ReadonlyArray<Leap> => {
    const { body } = operation
    const account = accountOf(sourceOf(signed, operation))
    if (body.type === "bumpSequence") return [{ account, to: body.bumpSequenceOp.bumpTo }]
    // what was merged away was below the first number of that ledger, and so is nothing that is made later
    if (body.type === "accountMerge") return [{ account, to: first }]
    return body.type === "createAccount" ? [{ account: accountIn(body.createAccountOp.destination), to: first }] : []
  })
}

/**
 * Reads the envelope of a transaction, which need not be one of ours. Operations that raise no number are not looked at: the SDK
 * refuses some that the network takes, and anybody can put one into an account's history.
 */
export const envelopeOf = (
  doing: string,
  networkPassphrase: string,
  { envelope_xdr, ledger }: TransactionAnswer
): Effect.Effect<Envelope, ChainError> => {
  const signed = readSigned(networkPassphrase, envelope_xdr)
  if (signed === undefined) return Effect.fail(inconsistent(doing, "the envelope of a transaction cannot be read"))
  const [hash, inner = hash] = signed.hashes()
  const { sequence, source } = signed
  return Effect.succeed({ hash, inner, source: accountOf(source), sequence, leaps: leapsIn(signed, ledger) })
}

/** A transaction in its ledger, which was read whole. */
export interface Found {
  readonly block: Omit<Block, "transfers">
  /** What its own source paid for it: nothing where somebody else has bid for it. */
  readonly fee: bigint
  /** Who paid for it, and what. */
  readonly charged: { readonly payer: string; readonly fee: bigint }
  /** What it moved of the assets that are known; nothing where it failed. */
  readonly transfers: ReadonlyArray<Transfer>
  readonly successful: boolean
  readonly memo: Memo | null
}

const succeededIn = (result: string): boolean | undefined =>
  Result.getOrUndefined(
    Result.try(() => {
      const { type } = xdr.TransactionResult.fromXdr(result, "base64").result
      return type === "txSuccess" || type === "txFeeBumpInnerSuccess"
    })
  )

/**
 * A transaction that is in a ledger, by what its whole ledger says; undefined where the node knows none, which by itself proves
 * nothing.
 */
export const findTransaction = Effect.fn("StellarSender.findTransaction")(function* (
  { assets, http, networkPassphrase }: SenderContext,
  hash: string
): Effect.fn.Return<Found | undefined, ChainError> {
  const doing = `find transaction ${hash}`
  const answer = yield* http.get(doing, `transactions/${hash}`).pipe(
    Effect.catchIf(
      ({ reason }) => reason === "absent",
      () => Effect.succeed(undefined)
    )
  )
  if (answer === undefined) return undefined
  const said = yield* decoded(doing, TransactionAnswer, answer)
  const envelope = yield* envelopeOf(doing, networkPassphrase, said)
  if (hash !== envelope.hash && hash !== envelope.inner) {
    return yield* inconsistent(doing, `the node answered with transaction ${envelope.hash}`)
  }
  if (succeededIn(said.result_xdr) !== said.successful) {
    return yield* inconsistent(doing, "its result is not what it is said to be")
  }
  const ledger = yield* readLedger(http, said.ledger)
  const operations = (yield* readOperations(http, networkPassphrase, ledger)).filter(
    ({ operation }) => operation.transaction_hash === envelope.hash || operation.transaction_hash === envelope.inner
  )
  // The operations of a ledger are counted against its header, and are those of transactions that succeeded.
  if (said.successful !== operations.length > 0) {
    return yield* inconsistent(
      doing,
      `ledger ${said.ledger} contradicts that it ${said.successful ? "succeeded" : "failed"}`
    )
  }
  const moved = yield* Effect.forEach(operations, (operation) =>
    Effect.mapError(Effect.fromResult(transfersOf(assets, operation)), (reason) => inconsistent(doing, reason))
  )
  return {
    block: ledger.ref,
    fee: said.fee_account === envelope.source ? BigInt(said.fee_charged) : 0n,
    charged: { payer: said.fee_account, fee: BigInt(said.fee_charged) },
    transfers: moved.flat(),
    successful: said.successful,
    memo: yield* Effect.mapError(Effect.fromResult(memoOf(said)), (reason) => inconsistent(doing, reason))
  }
})
