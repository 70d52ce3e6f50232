import type { Fence } from "@bursar/core/engine/fenced"
import type { Timestamp } from "@bursar/core/base/Timestamp"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { NetworkTraits } from "@bursar/core/money/Network"
import type { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import type { Payout } from "@bursar/core/payout/Payout"
import type { ChainSender } from "@bursar/core/port/ChainSender"
import type { StorageError } from "@bursar/core/engine/StorageError"
import type { KeyedAddress } from "@bursar/core/port/TransactionSigner"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import type { Effect } from "effect"
import type { SendLimits } from "./SendLimits.ts"

/** What one term of leadership over the sending on a network works with. */
export interface Send {
  readonly sender: ChainSender
  readonly traits: NetworkTraits
  readonly fence: Fence
  readonly currencies: CurrencyTable
  readonly limits: SendLimits
  /** Why no payout of anybody is put into an outbound transaction; null where that is done. */
  readonly switchedOff: Effect.Effect<string | null, StorageError>
  /** The keys of payout wallets that were read, by the wallet's id: a wallet never changes its key or its address. */
  readonly wallets: Map<string, KeyedAddress>
}

/** An outbound transaction with its owner. */
export interface OwnedTransaction {
  readonly tenantId: TenantId
  readonly transaction: OutboundTransaction
}

/** A payout with its owner. */
export interface OwnedPayout {
  readonly tenantId: TenantId
  readonly payout: Payout
}

/** For how long nothing may be known of an outcome until it is flagged. */
export const unresolvedAfter = ({ limits, traits }: Send): number =>
  limits.unresolvedAfterMs ?? traits.limits.unresolvedAfterMs

/** When to try again what has failed so many times. */
export const retryAt = ({ limits }: Send, now: Timestamp, tries: number): Timestamp =>
  now + Math.min(limits.retryLongestMs, limits.retryFirstMs * 2 ** Math.min(tries, 20))

/** When to look an outbound transaction up again: the older it is the later, so that many that wait cost no more than a few that are young. */
export const nextCheckAt = (
  { limits }: Send,
  now: Timestamp,
  { givenUpAfter, guard, reservedAt, sentAt }: OutboundTransaction
): Timestamp => {
  // one of UTXOs is given up where they are gone, and may wait for ever
  const isForgone = givenUpAfter !== null && guard._tag === "Utxos"
  const longest = isForgone ? limits.checkGivenUpLongestMs : limits.checkLongestMs
  return now + Math.min(longest, Math.max(limits.checkFirstMs, Math.floor((now - (sentAt ?? reservedAt)) / 8)))
}
