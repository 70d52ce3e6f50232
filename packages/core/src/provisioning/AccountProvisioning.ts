import type { Timestamp } from "../base/Timestamp.ts"
import type { Network } from "../money/Network.ts"
import { type WalletRole, walletRoles } from "../transaction/PayoutWallet.ts"
import { defineRecord } from "../engine/Records.ts"

/** What an account that has to be set up is for: as of a wallet, or to issue addresses from, which are parts of it. */
export const provisioningRoles = [...walletRoles, "ISSUING"] as const

/** What an account that has to be set up is for. */
export type ProvisioningRole = WalletRole | "ISSUING"

/** How far an account of the service is set up. One per account and network. */
export interface AccountProvisioning {
  readonly network: Network
  /** Canonical. */
  readonly address: string
  readonly role: ProvisioningRole
  /** Whether it was all that it has to be when the chain was last asked. */
  readonly ready: boolean
  /** The newest outbound transaction that was made for it; null before the first. Another is made only when that one is over. */
  readonly transactionId: string | null
  /** How many outbound transactions in a row did not do what they were for. */
  readonly failures: number
  /** Why it is not ready, in words for operators; null where it is, or is about to be. */
  readonly problem: string | null
  /** Since when it is ready, or is not. */
  readonly since: Timestamp
  readonly checkedAt: Timestamp
}

/** The key of an account's setup. */
export const provisioningKey = ({ address, network }: Pick<AccountProvisioning, "address" | "network">): string =>
  `${network}|${address}`

/** Setups by network and account. Those of a network are a group. */
export const AccountProvisioning = defineRecord<AccountProvisioning>({
  name: "AccountProvisioning",
  key: provisioningKey,
  group: ({ network }) => network
})
