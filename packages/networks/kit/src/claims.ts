import type { Transfer } from "@bursar/core/port/Chain"
import type { Claimed, Proof } from "@bursar/core/port/ChainSender"
import { Result } from "effect"

/** The chain says that the claim is not true, and never will be. */
export const notProven = (reason: string): Proof => ({ verdict: "NOT_PROVEN", reason })

/** The transaction is in a block that may still be replaced: the chain will tell. */
export const notFinal = (reason: string): Proof => ({ verdict: "NOT_FINAL", reason })

/** The chain says nothing of the claim, either way. */
export const unreadable = (reason: string): Proof => ({ verdict: "UNREADABLE", reason })

/** What the accepted senders of a claim paid the network, where `payer` paid `fee` for the transaction; null where none are named. */
export const feeOfSenders = (
  { senders }: Pick<Claimed, "senders">,
  { fee, payer }: { readonly fee: bigint; readonly payer: string }
): bigint | null => (senders.length === 0 ? null : senders.includes(payer) ? fee : 0n)

/** The distinct senders or receivers of some transfers, in words. */
export const partiesOf = (transfers: ReadonlyArray<Transfer>, side: "from" | "to"): string =>
  [...new Set(transfers.map((transfer) => transfer[side] ?? "nobody"))].join(", ")

/** It cannot be told whether an accepted sender paid: what reached the receiver was minted, or bought with another asset. */
const senderUntold: Proof = unreadable(
  "The chain names nobody who had before what reached the receiver: whether an accepted sender paid it cannot be told."
)

const sumOf = (transfers: ReadonlyArray<Transfer>): bigint =>
  transfers.reduce((total, transfer) => total + transfer.units, 0n)

/**
 * Whether what came from nobody could make a claim true beside what its senders sent: one such transfer is all of it, or what is missing is no
 * less than the smallest of them and no more than all of them. Any of several may be an accepted sender's.
 */
const couldBeTrue = (units: bigint, sent: ReadonlyArray<Transfer>, unnamed: ReadonlyArray<Transfer>): boolean => {
  const missing = units - sumOf(sent)
  return (
    unnamed.some((one) => one.units === units) ||
    (unnamed.some((one) => one.units <= missing) && missing <= sumOf(unnamed))
  )
}

/** Of what was sent, that which makes up an amount: one transfer alone, or all of them. None where neither does. */
const makingUp = (units: bigint, sent: ReadonlyArray<Transfer>): ReadonlyArray<Transfer> => {
  const whole = sent.find((transfer) => transfer.units === units)
  if (whole !== undefined) return [whole]
  return sumOf(sent) === units ? sent : []
}

/**
 * The transfers of a transaction that a claim is true of; else says what differs first: the asset, the receiver, the sender, the
 * amount, the memo. A receiver may have been paid in several parts of one transaction: their sum counts too. Parts that brought another memo are not
 * what is claimed, and deny nothing of those that brought it. What the receiver sent to itself did not reach it: it was there before. What reached the receiver from nobody proves no sender, and none to be another either,
 * where it could make the claim true: it cannot make up another amount, or bring another memo.
 */
export const claimedTransfers = (
  { contract, senders, units }: Claimed,
  transfers: ReadonlyArray<Transfer>,
  {
    native,
    reaches,
    wrongMemo
  }: {
    /** The code of the native asset. */
    readonly native: string
    /** Whether a transfer reached the receiver of the claim. */
    readonly reaches: (transfer: Transfer) => boolean
    /** Why a transfer to the receiver did not bring the memo that is claimed; undefined where it did, or none is. */
    readonly wrongMemo: (transfer: Transfer) => Proof | undefined
  }
): Result.Result<ReadonlyArray<Transfer>, Proof> => {
  const ofAsset = transfers.filter((transfer) => transfer.contract === contract)
  if (ofAsset.length === 0) return Result.fail(notProven(`The transaction moved no ${contract ?? native}.`))
  const reached = ofAsset.filter(reaches)
  if (reached.length === 0) return Result.fail(notProven(`The receiver was another: ${partiesOf(ofAsset, "to")}.`))
  const received = reached.filter(({ from, to }) => from !== to)
  if (received.length === 0) return Result.fail(notProven("The receiver sent it to itself, and had it before."))
  const sent = received.filter(({ from }) => senders.length === 0 || (from !== null && senders.includes(from)))
  const unnamed = senders.length === 0 ? [] : received.filter(({ from }) => from === null)
  const broughtMemo = (transfer: Transfer) => wrongMemo(transfer) === undefined
  const rightly = sent.filter(broughtMemo)
  const claimed = makingUp(units, rightly)
  if (claimed.length > 0) return Result.succeed(claimed)
  if (couldBeTrue(units, rightly, unnamed.filter(broughtMemo))) return Result.fail(senderUntold)
  if (makingUp(units, sent).length > 0 || couldBeTrue(units, sent, unnamed)) {
    const wrong = [...sent, ...unnamed].map(wrongMemo).find((one) => one !== undefined)
    if (wrong !== undefined) return Result.fail(wrong)
  }
  return Result.fail(
    notProven(
      sent.length === 0
        ? `The sender was another: ${partiesOf(received, "from")}.`
        : `The amount was another: ${sumOf(sent)} base units, not ${units}.`
    )
  )
}
