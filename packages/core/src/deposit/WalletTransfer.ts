import type { BlockPoint, DepositIdentity } from "./Deposit.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { Network } from "../money/Network.ts"
import type { Memo } from "../port/Chain.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import { defineRecord } from "../engine/Records.ts"
import { type WalletTransferPlace, walletTransferPlaces } from "../operation/details/AdjustmentDetails.ts"

/** Where an arrival at a wallet stands: as a deposit does, but nobody is credited. */
export const walletTransferStatuses = ["DETECTED", "CONFIRMED", "REORGED"] as const

/** Where an arrival at a wallet stands. */
export type WalletTransferStatus = (typeof walletTransferStatuses)[number]

/**
 * At what something has arrived: at a wallet that is paid from, or at an account that addresses are parts of, naming none of them
 * (stellar).
 */
export { walletTransferPlaces }

export type { WalletTransferPlace }

/** Something that came to a wallet of the service, or for nobody to an account of it. It is never a deposit. */
export interface WalletTransfer extends DepositIdentity {
  readonly tenantId: TenantId
  /** The wallet; of an account that addresses are parts of, its seed. */
  readonly walletId: string
  readonly place: WalletTransferPlace
  readonly address: string
  /** As the sender named it: the address, or a part of the account that nobody has. */
  readonly paidTo: string
  /** On networks with memos; null where there is none. */
  readonly memo: Memo | null
  readonly currency: string
  readonly units: bigint
  readonly fromAddress: string | null
  readonly block: BlockPoint
  readonly status: WalletTransferStatus
  /** The ADJUSTMENT that booked it, while it is booked; null for what a transaction of our own brought. */
  readonly bookedBy: string | null
  /** What of it came from the tenant's own addresses and was credited there before, while it is booked. */
  readonly ownUnits: bigint
  readonly detectedAt: Timestamp
}

/** The key of an arrival: what makes it the same arrival whatever block it stands in. */
export const walletTransferKey = ({
  network,
  transferIndex,
  txHash
}: {
  readonly network: Network
  readonly txHash: string
  readonly transferIndex: number
}): string => `${network}|${txHash}|${transferIndex}`

/** Arrivals by what makes them the same arrival. */
export const WalletTransfer = defineRecord<WalletTransfer>({ name: "WalletTransfer", key: walletTransferKey })
