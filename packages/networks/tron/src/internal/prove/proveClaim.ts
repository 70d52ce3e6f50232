import { claimedTransfers, feeOfSenders, notFinal, notProven, partiesOf, unreadable } from "@bursar/network-kit/claims"
import type { ChainError } from "@bursar/core/port/Chain"
import type { Claimed, Proof } from "@bursar/core/port/ChainSender"
import { Effect, Result } from "effect"
import { isEmpty, latestOf, orUnreachable } from "../read/readHeader.ts"
import { textOf } from "../build/contractCall.ts"
import { type Found, findTransaction } from "../status/findTransaction.ts"
import { freshHead, type SenderContext } from "../build/SenderContext.ts"

const idShape = /^[0-9a-f]{64}$/u

/** Compares what a final transaction moved with what is claimed. */
const compared = (claimed: Claimed, found: Found): Proof => {
  const { contract, memo, to, txHash, units } = claimed
  if (found.outcome === "failed") return notProven("The transaction failed: it moved nothing.")
  if (found.outcome === "unclear") return unreadable("The chain does not say how the transaction ended.")
  const isOther = memo !== null && textOf(found.memo) !== memo
  const claimedOf = claimedTransfers(claimed, found.transfers, {
    native: "TRX",
    reaches: (transfer) => transfer.to === to,
    wrongMemo: () => (isOther ? notProven("The transaction does not carry this memo.") : undefined)
  })
  if (Result.isFailure(claimedOf)) return claimedOf.failure
  return {
    verdict: "PROVEN",
    detail: `${units} base units of ${contract ?? "TRX"} from ${partiesOf(claimedOf.success, "from")} to ${to}, in transaction ${txHash} of solidified block ${found.block.number} (${found.block.hash})`,
    fee: found.owner === null ? null : feeOfSenders(claimed, { fee: found.fee, payer: found.owner })
  }
}

/** What an empty lookup means: no denial, for a transaction that no node here knows may be on its way elsewhere. */
const absent = Effect.fnUntraced(function* (
  context: SenderContext,
  { txHash }: Claimed
): Effect.fn.Return<Proof, ChainError> {
  const { node } = context
  const doing = `look for transaction ${txHash}`
  if ((yield* findTransaction(context, "wallet", txHash)) !== undefined) {
    return notFinal("The transaction is in a block that is not final yet: ask again in a minute.")
  }
  const known = yield* orUnreachable(node.http.call(doing, "wallet", "gettransactionbyid", { value: txHash }))
  if (!isEmpty(known)) return unreadable("The transaction is in no block yet: ask again in a minute.")
  const head = yield* freshHead(context)
  return unreadable(`There is no such transaction up to block ${head.number}: it does not exist, or is on its way.`)
})

/** Checks a claimed payment against the solidified chain. */
export const proveClaim = Effect.fn("TronSender.prove")(function* (
  context: SenderContext,
  claimed: Claimed
): Effect.fn.Return<Proof> {
  const { contract, txHash } = claimed
  if (!idShape.test(txHash)) return notProven("This is not the id of a transaction on tron: 64 characters of 0-9, a-f.")
  if (contract !== null && !context.pinned.includes(contract)) return unreadable(`${contract} is no token known here.`)
  return yield* latestOf(context.node, "walletsolidity").pipe(
    Effect.andThen(findTransaction(context, "walletsolidity", txHash)),
    Effect.flatMap((found) =>
      found === undefined ? absent(context, claimed) : Effect.succeed(compared(claimed, found))
    ),
    Effect.catch((error) => Effect.succeed(unreadable(`The chain could not be read: ${error.message}`)))
  )
})
