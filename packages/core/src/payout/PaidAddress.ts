import type { Timestamp } from "../base/Timestamp.ts"
import type { Network } from "../money/Network.ts"
import type { PayoutOrder } from "./PayoutOrder.ts"
import { writeMemo } from "../port/MemoText.ts"
import { defineRecord } from "../engine/Records.ts"

/** A receiver that the tenant has paid. */
export interface PaidAddress {
  readonly network: Network
  /** As `receiverOf` writes it. */
  readonly address: string
  /** When the first payout to it settled. */
  readonly firstPaidAt: Timestamp
}

/**
 * What tells a receiver from all others: its canonical address, and its memo where it has one. An exchange has one address for all its
 * customers, so another memo there is somebody else.
 */
export const receiverOf = ({ memo, to }: Pick<PayoutOrder, "memo" | "to">): string =>
  memo === null ? to : `${to} ${writeMemo(memo)}`

/** The key of a paid receiver. */
export const paidAddressKey = (network: Network, receiver: string): string => `${network}|${receiver}`

/** Addresses that were paid, by network and address. */
export const PaidAddress = defineRecord<PaidAddress>({
  name: "PaidAddress",
  key: ({ address, network }) => paidAddressKey(network, address)
})
