import type { Deposit } from "@bursar/core/deposit/Deposit"
import type { WalletTransfer } from "@bursar/core/deposit/WalletTransfer"
import type { Timestamp } from "@bursar/core/base/Timestamp"
import type { HeldArrival, NodeStatement } from "@bursar/core/port/HeldArrivals"
import type { OneNodeCredit } from "@bursar/core/incoming/oneNodeAllowance"
import type { Memo } from "@bursar/core/port/Chain"

/** Which arrivals need the word of a second node, of another operator than the first. */
export interface SecondNodePolicy {
  /** What an arrival of a currency must exceed to need it, in base units. */
  readonly above: (currency: string) => bigint
  /** How much of a currency, in base units, deposits may add up to in `windowMs` that are credited by the word of one node. */
  readonly together: (currency: string) => bigint
  readonly windowMs: number
  /** What is done with those where the network has no nodes of two operators: they count by the word of one, or are held. */
  readonly alone: "credit" | "hold"
}

/** What a watcher has recorded and wants to confirm, as nodes are asked about it. */
export interface Claimed extends Omit<HeldArrival, "said" | "since" | "state"> {
  readonly from: string | null
  /** Absent where no memo is kept with it. */
  readonly memo?: Memo | null
}

/** An arrival that waits for a second node. */
export interface Claim {
  readonly claimed: Claimed
  /** `agreed` confirms it, in this block; `refused` keeps it from that for good, and leaves only what is true in its place to be found. */
  verdict: "open" | "agreed" | "refused"
  state: HeldArrival["state"]
  said: ReadonlyArray<NodeStatement>
  since: Timestamp
  /** When nodes are asked again, and how often they were. */
  nextAt: Timestamp
  asked: number
  /** What operators have been told of it. */
  told: HeldArrival["state"] | null
}

/** What one term of leadership knows of arrivals that need a second node. */
export interface SecondNode {
  readonly policy: SecondNodePolicy
  /** By `claimKey`. */
  readonly claims: Map<string, Claim>
  /** Deposits that may be confirmed by the word of one node, by `claimKey`: they are counted. */
  readonly byOne: Map<string, Claimed>
  /** What was credited by the word of one node; undefined until it is read. */
  credited: ReadonlyArray<OneNodeCredit> | undefined
  /** Whether all that is to be confirmed has been looked at once: before that, nothing that is stored is known to be gone. */
  isRead: boolean
  /** Whether something may be stored as held that is to be ended once it settles. */
  mayBeStored: boolean
}

/** What a term begins with. */
export const makeSecondNode = (policy: SecondNodePolicy): SecondNode => ({
  policy,
  claims: new Map(),
  byOne: new Map(),
  credited: undefined,
  isRead: false,
  mayBeStored: true
})

/** What makes an arrival that very one, in its block. */
export const claimKey = ({
  blockHash,
  transferIndex,
  txHash
}: Pick<Claimed, "blockHash" | "transferIndex" | "txHash">): string => `${txHash}|${transferIndex}|${blockHash}`

/** A deposit as nodes are asked about it; undefined where it has no block. */
export const claimedDeposit = ({ block, fromAddress, ...deposit }: Deposit): Claimed | undefined =>
  block === null
    ? undefined
    : {
        network: deposit.network,
        txHash: deposit.txHash,
        transferIndex: deposit.transferIndex,
        blockHash: block.hash,
        blockNumber: block.number,
        tenantId: deposit.tenantId,
        address: deposit.address,
        currency: deposit.currency,
        units: deposit.units,
        from: fromAddress
      }

/** A transfer to a wallet as nodes are asked about it. */
export const claimedWalletTransfer = ({ block, fromAddress, memo, ...transfer }: WalletTransfer): Claimed => ({
  network: transfer.network,
  txHash: transfer.txHash,
  transferIndex: transfer.transferIndex,
  blockHash: block.hash,
  blockNumber: block.number,
  tenantId: transfer.tenantId,
  address: transfer.paidTo,
  currency: transfer.currency,
  units: transfer.units,
  from: fromAddress,
  memo
})
