import type { Account } from "../ledger/Account.ts"
import { defineRecord } from "../engine/Records.ts"

/**
 * What operations in flight will take from a place and have not taken in the books yet: it was sent, or is about to be. Another
 * operation can be sent from what is left beside it, so no two count the same coins.
 */
export interface AssetReservation {
  readonly account: Account
  readonly currency: string
  readonly units: bigint
}

/** The key of what is reserved of a currency at a place. */
export const reservationKey = ({ account, currency }: Pick<AssetReservation, "account" | "currency">): string =>
  `${account}|${currency}`

/** Reservations by place and currency. Those at a place are a group. */
export const AssetReservation = defineRecord<AssetReservation>({
  name: "AssetReservation",
  key: reservationKey,
  group: ({ account }) => account,
  traits: { oncePerCommand: true }
})
