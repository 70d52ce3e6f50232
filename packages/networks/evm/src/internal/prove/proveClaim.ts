import { feeOfSenders, notFinal, notProven, senderUntold, unreadable } from "@bursar/network-kit/claims"
import { Effect, Schema } from "effect"
import type { ChainError, Transfer } from "@bursar/core/port/Chain"
import type { Claimed, Proof } from "@bursar/core/port/ChainSender"
import { parseEvmAddress } from "../../Address.ts"
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

const assetOf = (contract: string | null): string => (contract === null ? "the network's coin" : contract)

const described = ({ contract, from, to, units }: Transfer): string =>
  `${units} units of ${assetOf(contract)} from ${from ?? "nobody"} to ${to}`

/** How many transfers of a transaction are named where none is the right one. */
const namedMax = 3

/** Why none of the transfers is the one that is claimed: the first thing that differs. */
const difference = (claimed: Claimed, to: string, transfers: ReadonlyArray<Transfer>): string => {
  const named = transfers.slice(0, namedMax).map(described).join("; ")
  const all = transfers.length > namedMax ? `${named}; and ${transfers.length - namedMax} more` : named
  const ofAsset = transfers.filter(({ contract }) => contract === claimed.contract)
  if (ofAsset.length === 0) {
    return transfers.length === 0
      ? "The transaction moves no asset that is known here."
      : `The transaction does not move ${assetOf(claimed.contract)}. It moves ${all}.`
  }
  const toReceiver = ofAsset.filter((transfer) => transfer.to === to)
  if (toReceiver.length === 0) return `The transaction pays nothing of that asset to ${to}. It moves ${all}.`
  const exact = toReceiver.filter(({ units }) => units === claimed.units)
  return exact.length === 0
    ? `The amount is another one: ${claimed.units} units are claimed. The transaction moves ${all}.`
    : `The sender is none of those that are accepted. The transaction moves ${all}.`
}

/** The transfers that are the claimed one, whoever sent them. */
const claimedOf = (
  { contract, units }: Claimed,
  to: string,
  transfers: ReadonlyArray<Transfer>
): ReadonlyArray<Transfer> =>
  transfers.filter((transfer) => transfer.contract === contract && transfer.to === to && transfer.units === units)

const matching = (claimed: Claimed, to: string, transfers: ReadonlyArray<Transfer>): Transfer | undefined => {
  const senders = new Set(claimed.senders.map((sender) => sender.toLowerCase()))
  return claimedOf(claimed, to, transfers).find(
    ({ from }) => senders.size === 0 || (from !== null && senders.has(from.toLowerCase()))
  )
}

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
  if (receipt.status !== "0x1") return notProven("The transaction failed on the chain: it moved nothing.")
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
  // Only what contracts send is missing from these: it takes traces, and a transaction that ran code.
  const complete =
    claimed.contract !== null ||
    matching(claimed, to, first.transfers) !== undefined ||
    BigInt(receipt.gasUsed) === transferGas
  if (!complete && !reading.traced) {
    return unreadable("Contracts may have paid the coin, and the node is not asked what contracts do.")
  }
  const { transfers, unread } = complete ? first : yield* read(true)
  const found = matching(claimed, to, transfers)
  if (found === undefined && unread !== undefined)
    return unreadable(`The transaction cannot be read whole: ${unread.reason}.`)
  // a deposit from another chain, which brings its coin with it: this one says nothing of who had that
  if (found === undefined && claimedOf(claimed, to, transfers).some(({ from }) => from === null)) return senderUntold
  return found === undefined
    ? notProven(difference(claimed, to, transfers))
    : {
        verdict: "PROVEN",
        detail: `Transaction ${txHash} in block ${block.number} (${block.hash}), which is final, moved ${described(found)}.`,
        fee: feeOfSenders(
          { senders: claimed.senders.map((sender) => sender.toLowerCase()) },
          { fee: costOf(receipt), payer: receipt.from.toLowerCase() }
        )
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
