import { Result, Schema } from "effect"
import type { Gain, Transfer, UnreadTransaction } from "@bursar/core/port/Chain"
import { checksummed } from "../../Address.ts"
import { type FullBlock, same, Withdrawal } from "../rpc/wire.ts"
import { emptyRoot } from "./emptyRoot.ts"
import { bytes, listRoot, rlp, scalar } from "./listRoot.ts"
import * as TransferIndex from "./TransferIndex.ts"

const weiPerGwei = 1_000_000_000n

const areWithdrawals = Schema.is(Schema.Array(Withdrawal))

/** The root of the trie of a block's withdrawals, at least one, which its header has to name. */
export const withdrawalsRoot = (withdrawals: ReadonlyArray<Withdrawal>): string =>
  listRoot(
    withdrawals.map(({ address, amount, index, validatorIndex }) =>
      rlp([scalar(index), scalar(validatorIndex), bytes(address), scalar(amount)])
    )
  )

/** What a block says of its withdrawals that contradicts its header, or undefined. */
const faultOf = ({ withdrawalsRoot: named }: FullBlock, withdrawals: ReadonlyArray<Withdrawal>): string | undefined => {
  const root = withdrawals.length === 0 ? emptyRoot : withdrawalsRoot(withdrawals)
  // before the fork that brought them a header names none
  if (named === undefined || named === null)
    return withdrawals.length === 0 ? undefined : "the block has withdrawals that its header does not name"
  return typeof named === "string" && same(named, root)
    ? undefined
    : "the withdrawals do not give the root that the block names"
}

/** What withdrawals bring to addresses. */
const paidBy = (withdrawals: ReadonlyArray<Withdrawal>): ReadonlyArray<Gain> =>
  withdrawals.map(({ address, amount }) => ({
    to: checksummed(address),
    contract: null,
    units: BigInt(amount) * weiPerGwei
  }))

/** How the withdrawals of a network are read. */
interface WithdrawalOptions {
  /** Whether their root is compared with the header. */
  readonly rooted: boolean
  /** What is paid, where it is known. */
  readonly withdrawals: "coin" | undefined
}

/** What was read of the withdrawals of a block. */
interface ReadWithdrawals {
  readonly transfers: ReadonlyArray<Transfer>
  readonly unread: ReadonlyArray<UnreadTransaction>
}

/**
 * What the consensus layer pays in a block, as validators withdraw what they have staked or earned, where it is known in what. It comes from nobody and
 * by no transaction: the hash of the block stands in for the one of a transaction, so what a block brings that takes its place is another transfer. Fails
 * with what contradicts the header.
 *
 * Where it is not known what is paid, receivers are told of as unread: nothing is credited that may not be there.
 */
export const readWithdrawals = (
  block: FullBlock,
  { rooted, withdrawals: paid }: WithdrawalOptions
): Result.Result<ReadWithdrawals, string> => {
  const txHash = block.hash.toLowerCase()
  const list = block.withdrawals ?? []
  if (!areWithdrawals(list))
    return paid === undefined
      ? Result.succeed({ transfers: [], unread: [] })
      : Result.fail("a withdrawal of the block cannot be read")
  const gains = paidBy(list)
  if (paid === undefined) {
    const reason =
      "the consensus layer pays these addresses in this block, and it is not known in what it pays on this network"
    return Result.succeed({ transfers: [], unread: gains.length === 0 ? [] : [{ txHash, reason, gains }] })
  }
  const fault = rooted ? faultOf(block, list) : undefined
  if (fault !== undefined) return Result.fail(fault)
  const transfers = gains.map((gain, ordinal) => ({
    ...gain,
    txHash,
    transferIndex: TransferIndex.ofWithdrawal(ordinal),
    from: null
  }))
  return Result.succeed({ transfers: transfers.filter(({ units }) => units > 0n), unread: [] })
}
