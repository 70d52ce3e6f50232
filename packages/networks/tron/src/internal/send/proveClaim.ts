import type { ChainError, Transfer } from "@bursar/core/port/Chain"
import type { Claimed, Proof } from "@bursar/core/port/ChainSender"
import { Effect } from "effect"
import { isEmpty, latestOf, orUnreachable, readHeader } from "../readHeader.ts"
import { textOf } from "./constantCall.ts"
import { type Found, findTransaction } from "./findTransaction.ts"
import { freshHead, type Sending } from "./Sending.ts"

const notProven = (reason: string): Proof => ({ verdict: "NOT_PROVEN", reason })
const unreadable = (reason: string): Proof => ({ verdict: "UNREADABLE", reason })

const idShape = /^[0-9a-f]{64}$/u

const namesOf = (transfers: ReadonlyArray<Transfer>, name: "from" | "to"): string =>
  [...new Set(transfers.map((transfer) => transfer[name] ?? "nobody"))].join(", ")

/** Compares what a final transaction moved with what is claimed. */
const compared = ({ contract, memo, senders, to, txHash, units }: Claimed, found: Found): Proof => {
  const asset = contract ?? "TRX"
  if (found.outcome === "failed") return notProven("The transaction failed: it moved nothing.")
  if (found.outcome === "unclear") return unreadable("The chain does not say how the transaction ended.")
  const ofAsset = found.transfers.filter((transfer) => transfer.contract === contract)
  if (ofAsset.length === 0) return notProven(`The transaction moved no ${asset}.`)
  const received = ofAsset.filter((transfer) => transfer.to === to)
  if (received.length === 0) return notProven(`The receiver was another: ${namesOf(ofAsset, "to")}.`)
  const sent = received.filter(({ from }) => senders.length === 0 || (from !== null && senders.includes(from)))
  if (sent.length === 0) return notProven(`The sender was another: ${namesOf(received, "from")}.`)
  const sum = sent.reduce((total, transfer) => total + transfer.units, 0n)
  if (sum !== units && !sent.some((transfer) => transfer.units === units)) {
    return notProven(`The amount was another: ${sum} base units, not ${units}.`)
  }
  if (memo !== null && textOf(found.memo) !== memo) return notProven("The transaction does not carry this memo.")
  return {
    verdict: "PROVEN",
    detail: `${units} base units of ${asset} from ${namesOf(sent, "from")} to ${to}, in transaction ${txHash} of solidified block ${found.block.number} (${found.block.hash})`
  }
}

/**
 * What an empty lookup means. A java-tron that answers at all has the whole history: one that has only part of it refuses the
 * question. So what is left to rule out is a node that is behind or has lost its data.
 */
const absent = Effect.fnUntraced(function* (
  sending: Sending,
  { txHash }: Claimed
): Effect.fn.Return<Proof, ChainError> {
  const { node } = sending
  const doing = `look for transaction ${txHash}`
  if ((yield* findTransaction(sending, "wallet", txHash)) !== undefined) {
    return notProven("The transaction is in a block that is not final yet: ask again in a minute.")
  }
  const known = yield* orUnreachable(node.http.call(doing, "wallet", "gettransactionbyid", { value: txHash }))
  if (!isEmpty(known)) return notProven("The transaction is in no block yet: ask again in a minute.")
  const head = yield* freshHead(sending)
  yield* readHeader(node, "wallet", 1)
  return notProven(`There is no such transaction up to block ${head.number}.`)
})

/** Checks a claimed payment against the solidified chain. */
export const proveClaim = Effect.fn("TronSender.prove")(function* (
  sending: Sending,
  claimed: Claimed
): Effect.fn.Return<Proof> {
  const { contract, txHash } = claimed
  if (!idShape.test(txHash)) return notProven("This is not the id of a transaction on tron: 64 characters of 0-9, a-f.")
  if (contract !== null && !sending.pinned.includes(contract)) return unreadable(`${contract} is no token known here.`)
  return yield* latestOf(sending.node, "walletsolidity").pipe(
    Effect.andThen(findTransaction(sending, "walletsolidity", txHash)),
    Effect.flatMap((found) =>
      found === undefined ? absent(sending, claimed) : Effect.succeed(compared(claimed, found))
    ),
    Effect.catch((error) => Effect.succeed(unreadable(`The chain could not be read: ${error.message}`)))
  )
})
