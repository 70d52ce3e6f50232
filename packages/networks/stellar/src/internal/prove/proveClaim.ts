import { typedMemo, writeMemo } from "@bursar/core/port/MemoText"
import type { ChainError, Memo, Transfer } from "@bursar/core/port/Chain"
import type { Claimed, Proof } from "@bursar/core/port/ChainSender"
import { claimedTransfers, feeOfSenders, notProven, partiesOf, unreadable } from "@bursar/network-kit/claims"
import { Effect, Result, Schema } from "effect"
import { demux } from "../../Address.ts"
import { isExact } from "../read/memoText.ts"
import { isWhole, readEnd } from "../read/readLedger.ts"
import { Hash } from "../rpc/wire.ts"
import { type Found, findTransaction } from "../status/findTransaction.ts"
import { freshLedger, type SenderContext } from "../build/SenderContext.ts"

/** Whether a memo is the one that is claimed: of any type, unless the claim names one in front, as payouts do (`id:42`). */
const isClaimed = (claimed: string, memo: Memo): boolean => {
  const typed = typedMemo(claimed)
  return typed === undefined ? memo.value === claimed : memo.type === typed.type && memo.value === typed.value
}

/** Whether a transfer reached the receiver: the very address, or the muxed one whose number is the memo that is claimed. */
const reached = ({ memo, to }: Claimed, transfer: Transfer): boolean => {
  if (transfer.to === to) return true
  const muxed = demux(transfer.to)
  return memo !== null && muxed?.account === to && isClaimed(memo, { type: "id", value: String(muxed.id) })
}

/** Why a transfer did not bring the memo that is claimed: one to a muxed address brought it with that, any other with its transaction. */
const memoDiffers = ({ memo, to }: Claimed, found: Found, transfer: Transfer): Proof | undefined => {
  if (memo === null || transfer.to !== to) return undefined
  if (found.memo === null) return notProven("The transaction has no memo.")
  if (found.memo.type === "text" && !isExact(found.memo.value))
    return unreadable("The memo of the transaction is not all text, so it cannot be compared.")
  return isClaimed(memo, found.memo) ? undefined : notProven(`The memo was another: ${writeMemo(found.memo)}.`)
}

/**
 * Transfers with what an accepted sender sent under a number of its own account as sent by that account, which alone could sign it. A sender that
 * is named with a number is that number alone.
 */
const byAccounts = (senders: ReadonlyArray<string>, transfers: ReadonlyArray<Transfer>): ReadonlyArray<Transfer> =>
  transfers.map((transfer) => {
    const account = transfer.from === null ? undefined : demux(transfer.from)?.account
    return account !== undefined && senders.includes(account) ? { ...transfer, from: account } : transfer
  })

/** Compares what a transaction moved with what is claimed. */
const compared = (claimed: Claimed, found: Found): Proof => {
  const { contract, senders, txHash, units } = claimed
  if (!found.successful) return notProven("The transaction failed: it moved nothing.")
  const claimedOf = claimedTransfers(claimed, byAccounts(senders, found.transfers), {
    native: "XLM",
    reaches: (transfer) => reached(claimed, transfer),
    wrongMemo: (transfer) => memoDiffers(claimed, found, transfer)
  })
  if (Result.isFailure(claimedOf)) return claimedOf.failure
  const sent = claimedOf.success
  const innerHash = sent[0]?.innerHash
  return {
    verdict: "PROVEN",
    detail: `${units} base units of ${contract ?? "XLM"} from ${partiesOf(sent, "from")} to ${partiesOf(sent, "to")}, in transaction ${txHash} of ledger ${found.block.number} (${found.block.hash})`,
    fee: feeOfSenders(claimed, found.charged),
    ...(innerHash === undefined || innerHash === txHash ? {} : { innerHash })
  }
}

/** What it means that a node does not know a transaction: no denial, for even where it has the whole history that may be on its way elsewhere. */
const absent = Effect.fnUntraced(function* (context: SenderContext): Effect.fn.Return<Proof, ChainError> {
  const latest = yield* freshLedger(context)
  const oldest = yield* readEnd(context.http, "oldest")
  return unreadable(
    isWhole(oldest)
      ? `There is no such transaction up to ledger ${latest.ref.number}: it does not exist, or is on its way.`
      : `The node does not know the transaction, and keeps no history from before ledger ${oldest.number}.`
  )
})

/** Checks a claimed payment against the closed ledgers. */
export const proveClaim = Effect.fn("StellarSender.prove")(function* (
  context: SenderContext,
  claimed: Claimed
): Effect.fn.Return<Proof> {
  const { contract, txHash } = claimed
  if (!Schema.is(Hash)(txHash)) {
    return notProven("This is not the hash of a transaction on stellar: 64 characters of 0-9, a-f.")
  }
  if (contract !== null && !context.assets.has(contract)) return unreadable(`${contract} is no asset known here.`)
  return yield* findTransaction(context, txHash).pipe(
    Effect.flatMap((found) => (found === undefined ? absent(context) : Effect.succeed(compared(claimed, found)))),
    Effect.catch((error) => Effect.succeed(unreadable(`The chain could not be read: ${error.message}`)))
  )
})
