import { claimedTransfers, feeOfSenders, notFinal, notProven, partiesOf, unreadable } from "@bursar/network-kit/claims"
import { Effect, Result, Schema } from "effect"
import type { ChainError, Transfer } from "@bursar/core/port/Chain"
import type { Claimed, Proof } from "@bursar/core/port/ChainSender"
import { checksummed, parseEvmAddress } from "../../Address.ts"
import type { NodeTraits } from "../rpc/NodeTraits.ts"
import { readBlock } from "../read/readBlock.ts"
import { Hash } from "../rpc/wire.ts"
import { costOf, readMinedReceipt } from "../status/minedReceipt.ts"
import { transferGas } from "../build/purpose.ts"
import type { SenderContext } from "../build/SenderContext.ts"

/** How far a node is to be believed, and how blocks are read for a proof. */
export interface ProofReading {
  readonly rooted: boolean
  readonly traced: boolean
  readonly traits: NodeTraits
}

/** Transfers whose senders and receivers are written in another way. */
const written = (transfers: ReadonlyArray<Transfer>, write: (address: string) => string): ReadonlyArray<Transfer> =>
  transfers.map((transfer) => {
    const { from, to } = transfer
    return { ...transfer, from: from === null ? null : write(from), to: write(to) }
  })

const lower = (address: string): string => address.toLowerCase()

/** The transfers that the claim is true of, in whichever case its senders are written. */
const judged = (claimed: Claimed, to: string, transfers: ReadonlyArray<Transfer>) =>
  Result.map(
    claimedTransfers({ ...claimed, senders: claimed.senders.map(lower) }, written(transfers, lower), {
      native: "coin",
      reaches: (transfer) => transfer.to === lower(to),
      wrongMemo: () => undefined
    }),
    (sent) => written(sent, checksummed)
  )

const proofOf = Effect.fnUntraced(function* (
  context: SenderContext,
  reading: ProofReading,
  claimed: Claimed,
  to: string
): Effect.fn.Return<Proof, ChainError> {
  const { calls, contracts, reads } = context
  const txHash = claimed.txHash.toLowerCase()
  const [mined, known, tip] = yield* Effect.all(
    [
      readMinedReceipt(context, txHash),
      reads.ask(`look for transaction ${txHash}`, "eth_getTransactionByHash", [txHash]),
      context.tip
    ],
    { concurrency: "unbounded" }
  )
  if (mined === null) {
    return unreadable(
      known === null
        ? "The node does not know the transaction: it does not exist, is on its way, or is older than the node."
        : "The transaction is in no block yet. Ask again later."
    )
  }
  const { block, receipt } = mined
  if (block.number > tip.confirmed) {
    return notFinal(`The transaction is in block ${block.number}, which is not final yet. Ask again later.`)
  }
  // It moved nothing then but what was minted for it, which stays: that stands in its block.
  const failed = receipt.status !== "0x1"
  const read = (traced: boolean) =>
    Effect.map(
      // a claim is of a transaction, which withdrawals are not
      readBlock(
        calls,
        { contracts, traits: reading.traits, rooted: reading.rooted, traced, withdrawals: undefined },
        block.hash
      ),
      ({ hash, isStateGone, transfers, unread = [] }) => ({
        transfers: transfers.filter((transfer) => transfer.txHash === txHash),
        unread: unread.find((one) => one.txHash === txHash || (isStateGone === true && one.txHash === hash))
      })
    )
  const first = yield* read(false)
  // Only what contracts send is missing from these: it takes traces, and a transaction that ran code and did not fail.
  const complete =
    failed ||
    claimed.contract !== null ||
    Result.isSuccess(judged(claimed, to, first.transfers)) ||
    BigInt(receipt.gasUsed) === transferGas
  if (!complete && !reading.traced) {
    return unreadable("Contracts may have paid the coin, and the node is not asked what contracts do.")
  }
  const { transfers, unread } = complete ? first : yield* read(true)
  const found = judged(claimed, to, transfers)
  if (Result.isFailure(found)) {
    if (failed && unread === undefined && transfers.length === 0)
      return notProven("The transaction failed on the chain: it moved nothing.")
    return unread === undefined ? found.failure : unreadable(`The transaction cannot be read whole: ${unread.reason}.`)
  }
  const { contract, units } = claimed
  return {
    verdict: "PROVEN",
    detail: `Transaction ${txHash} in block ${block.number} (${block.hash}), which is final, moved ${units} units of ${contract ?? "the network's coin"} from ${partiesOf(found.success, "from")} to ${to}.`,
    fee: feeOfSenders({ senders: claimed.senders.map(lower) }, { fee: costOf(receipt), payer: lower(receipt.from) })
  }
})

/**
 * Checks a claimed payment on the final chain. The block it is in is read whole and verified as deposits are, so nothing is taken
 * from the words of a receipt alone. Whatever the node cannot tell is `UNREADABLE`.
 */
export const proveClaim = Effect.fn("EvmSender.prove")(function* (
  context: SenderContext,
  reading: ProofReading,
  claimed: Claimed
): Effect.fn.Return<Proof> {
  const { contracts, network } = context
  if (!Schema.is(Hash)(claimed.txHash)) return notProven(`${claimed.txHash} is not the hash of a transaction.`)
  if (claimed.memo !== null) return notProven(`Payments on ${network} carry no memo, so none can carry this one.`)
  const pinned = claimed.contract === null ? null : contracts.get(claimed.contract.toLowerCase())
  if (pinned === undefined) return unreadable(`${claimed.contract} is not read on ${network}.`)
  const to = parseEvmAddress(network, [...contracts.keys()], claimed.to)
  if (to._tag === "Failure") return notProven(to.failure)
  return yield* Effect.catchTag(
    proofOf(context, reading, { ...claimed, contract: pinned }, to.success),
    "ChainError",
    (error) => Effect.succeed(unreadable(`The chain cannot be read now: ${error.message}`))
  )
})
