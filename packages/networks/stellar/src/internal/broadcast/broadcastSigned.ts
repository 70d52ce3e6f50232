import { xdr } from "@stellar/stellar-sdk/base"
import type { Broadcast } from "@bursar/core/port/ChainSender"
import { Effect, Result, Schema } from "effect"
import { decoded } from "../rpc/NodeAnswer.ts"
import { Base64, Hash } from "../rpc/wire.ts"
import { decodeSigned, hashOf } from "../build/StellarPayment.ts"
import type { SenderContext } from "../build/SenderContext.ts"

const Answer = Schema.Struct({
  tx_status: Schema.Literals(["PENDING", "DUPLICATE", "TRY_AGAIN_LATER", "ERROR"]),
  hash: Hash,
  error_result_xdr: Schema.optionalKey(Schema.NullOr(Base64))
})

type Reason = (Broadcast & { readonly _tag: "Rejected" })["reason"]

/** What the results of the protocol mean; one that is not here is not known to mean anything. */
const reasons: Readonly<Record<string, Reason>> = {
  txTooLate: "expired",
  txBadSeq: "guard_used",
  txInsufficientFee: "fee_too_low",
  txTooEarly: "busy",
  txFailed: "invalid",
  txMissingOperation: "invalid",
  txBadAuth: "invalid",
  txInsufficientBalance: "invalid",
  txNoAccount: "invalid",
  txBadAuthExtra: "invalid",
  txNotSupported: "invalid",
  txMalformed: "invalid"
}

const codeIn = (result: string | null | undefined): string =>
  result == null
    ? "no result"
    : Result.getOrElse(
        Result.try((): string => xdr.TransactionResult.fromXdr(result, "base64").result.type),
        () => "a result that cannot be read"
      )

const meaning = (expected: string, { error_result_xdr, hash, tx_status }: typeof Answer.Type): Broadcast => {
  if (hash !== expected) return { _tag: "Unknown", detail: `the node answered for transaction ${hash}` }
  if (tx_status === "PENDING" || tx_status === "DUPLICATE") return { _tag: "Accepted" }
  if (tx_status === "TRY_AGAIN_LATER") {
    return { _tag: "Rejected", reason: "busy", detail: "another transaction of the account waits for a ledger" }
  }
  const code = codeIn(error_result_xdr)
  const reason = reasons[code]
  return reason === undefined ? { _tag: "Unknown", detail: code } : { _tag: "Rejected", reason, detail: code }
}

const base64Of = (bytes: Uint8Array): string => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))

/** Gives the node these very bytes, once, and does not wait for a ledger. A refusal may be of a transaction that is in one already. */
export const broadcastSigned = Effect.fn("StellarSender.broadcast")(function* (
  { http, networkPassphrase }: SenderContext,
  signed: Uint8Array
): Effect.fn.Return<Broadcast> {
  const read = decodeSigned(signed, networkPassphrase)
  if (Result.isFailure(read)) return { _tag: "Rejected", reason: "invalid", detail: read.failure }
  const doing = "broadcast a transaction"
  return yield* http.post(doing, "transactions_async", { tx: base64Of(signed) }).pipe(
    Effect.flatMap(({ answer }) => decoded(doing, Answer, answer)),
    Effect.match({
      onFailure: ({ detail }): Broadcast => ({ _tag: "Unknown", detail }),
      onSuccess: (answer) => meaning(hashOf(read.success), answer)
    })
  )
})
