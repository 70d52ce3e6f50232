import type { Timestamp } from "../base/Timestamp.ts"
import type { Network } from "../money/Network.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import type { DepositStatus } from "./DepositMachine.ts"
import { defineNewest, defineRecord } from "../engine/Records.ts"

/** What makes an arrival the same arrival, whatever block it stands in. */
export interface DepositIdentity {
  readonly network: Network
  readonly txHash: string
  /** The place of the transfer inside its transaction, stable over re-mining. */
  readonly transferIndex: number
}

/** The block that holds a transfer. */
export interface BlockPoint {
  readonly number: number
  readonly hash: string
  readonly time: Timestamp
}

/** An arrival on a watched address. */
export interface Deposit extends DepositIdentity {
  readonly id: string
  readonly tenantId: TenantId
  readonly addressId: string
  readonly address: string
  readonly reference: string
  readonly currency: string
  readonly units: bigint
  readonly fromAddress: string | null
  readonly block: BlockPoint | null
  /** Blocks on top of it, its own included, when its status last changed. */
  readonly confirmations: number
  readonly requiredConfirmations: number
  readonly status: DepositStatus
  /** It was mined before its address was registered. */
  readonly historical: boolean
  readonly detectedAt: Timestamp
  readonly confirmedAt: Timestamp | null
  readonly reorgedAt: Timestamp | null
  /** Rises whenever the status changes; orders the feed of deposits. Gapless per tenant. */
  readonly changeSeq: number
  /** The operation that credited it, while it is credited. */
  readonly creditedBy: string | null
  /** What of it came from the tenant's own addresses and was credited there before, while it is booked: moved, not credited again. */
  readonly ownUnits: bigint
}

/** The key by which older integrations know a deposit: `<network>:<tx_hash>:<transfer_index>`. */
export const legacyKey = ({ network, transferIndex, txHash }: DepositIdentity): string =>
  `${network}:${txHash}:${transferIndex}`

const identityText = ({ network, transferIndex, txHash }: DepositIdentity): string =>
  `${network}|${txHash}|${transferIndex}`

/** Deposits by what makes them the same arrival. Those on one address are a group, on all networks. */
export const Deposit = defineRecord<Deposit, DepositIdentity>({
  name: "Deposit",
  key: ({ network, transferIndex, txHash }) => ({ network, transferIndex, txHash }),
  text: identityText,
  group: ({ address }) => address,
  traits: { changeSeq: ({ changeSeq }) => changeSeq }
})

/** The deposit on an address, by the address's id, that changed last. */
export const NewestDeposit = defineNewest<Deposit>({
  name: "NewestDeposit",
  of: Deposit,
  group: ({ addressId }) => addressId,
  order: ({ changeSeq }) => changeSeq
})
