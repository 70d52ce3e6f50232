import type { Timestamp } from "../engine/Timestamp.ts"
import type { Network } from "../money/Network.ts"

/** An address that the tenant has paid. */
export interface PaidAddress {
  readonly network: Network
  /** Canonical. */
  readonly address: string
  /** When the first payout to it settled. */
  readonly firstPaidAt: Timestamp
}

/** The key of a paid address. */
export const paidAddressKey = (network: Network, address: string): string => `${network}|${address}`

/** For how long an address counts as new after it was first paid. */
export const newAddressMs = 86_400_000

/** Whether an address is new: never paid, or paid for the first time less than a day ago. */
export const isNewAddress = (paid: PaidAddress | undefined, now: Timestamp): boolean =>
  paid === undefined || now - paid.firstPaidAt < newAddressMs
