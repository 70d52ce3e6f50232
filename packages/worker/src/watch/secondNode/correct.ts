import { WatchState } from "@bursar/core/store/WatchState"
import { Effect, Result } from "effect"
import { markReorged } from "../markReorged.ts"
import { recordTransfers } from "../recordTransfers.ts"
import { markWalletsReorged } from "../walletTransfers.ts"
import type { Watch } from "../Watch.ts"
import { type Instead, memoText } from "./compare.ts"
import { type Claim, claimedDeposit, claimedWalletTransfer, claimKey, type Claimed } from "./SecondNode.ts"
import { tellCorrected } from "./tell.ts"

/** What is recorded as it is claimed, and not confirmed. */
const recordedAs = Effect.fnUntraced(function* ({ chain: { network } }: Watch, claimed: Claimed) {
  const state = yield* WatchState
  const isClaimed = (one: Claimed | undefined): boolean =>
    one !== undefined &&
    claimKey(one) === claimKey(claimed) &&
    one.tenantId === claimed.tenantId &&
    one.address === claimed.address &&
    one.currency === claimed.currency &&
    one.units === claimed.units &&
    one.from === claimed.from &&
    memoText(one.memo) === memoText(claimed.memo)
  const deposits = yield* state.depositsAmong(network, [claimed.txHash])
  const transfers = yield* state.walletTransfersAmong(network, [claimed.txHash])
  return {
    deposits: deposits.filter((one) => one.status === "DETECTED" && isClaimed(claimedDeposit(one))),
    transfers: transfers.filter((one) => one.status === "DETECTED" && isClaimed(claimedWalletTransfer(one)))
  }
})

/**
 * Puts what two operators agree on in the place of what one node had recorded. Nothing is confirmed by that: what stands there then is asked
 * about anew. What is true is recorded before what is not goes, so that a process that dies in between leaves nothing out.
 */
export const correct = Effect.fn("watch.correct")(function* (watch: Watch, claim: Claim, { block, transfer }: Instead) {
  const { claimed } = claim
  const { hash, number, time } = block
  if (transfer !== null) {
    const latest = number + watch.chain.requiredConfirmations - 1
    const found = { transfers: [transfer], block: { hash, number, time } }
    const recorded = yield* Effect.result(recordTransfers(watch, found, { latest, reading: "agreed" }))
    // what stands in another block is for the watcher to see first
    if (Result.isFailure(recorded)) {
      if (recorded.failure._tag !== "ChainError") return yield* recorded.failure
      return undefined
    }
  }
  const left = yield* recordedAs(watch, claimed)
  yield* markReorged(watch, left.deposits)
  yield* markWalletsReorged(watch, left.transfers)
  watch.secondNode?.claims.delete(claimKey(claimed))
  return yield* tellCorrected(claim, transfer)
})
