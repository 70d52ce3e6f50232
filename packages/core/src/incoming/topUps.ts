import type { Deposit } from "../deposit/Deposit.ts"
import type { Read } from "../engine/Read.ts"
import { readRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { bookedArrivalReads, hasPaid } from "../operation/bookedArrival.ts"
import { attemptKey, TransactionAttempt } from "../transaction/TransactionAttempt.ts"
import { isFromWallet, walletSenderReads } from "./fromOurs.ts"

/** What `whetherTopUp` reads. */
export const topUpReads = (deposit: Pick<Deposit, "fromAddress" | "network" | "txHash">): ReadonlyArray<Read> => [
  readRecord(TransactionAttempt, attemptKey(deposit.network, deposit.txHash)),
  ...bookedArrivalReads(deposit.txHash),
  ...walletSenderReads(deposit)
]

/**
 * Whether what came to an address is coin that the service sent there for network fees. `unknown` where the tenant's wallet sent it, and no transaction of
 * ours is known to have: a restored database may have lost it, and a payout to an address of the tenant's own looks alike. It may have lost who holds the
 * address's key, too. The wallet's coins are the float's already, so it is credited once such a payout is known, and never else.
 */
export const whetherTopUp = (
  view: View,
  deposit: Deposit,
  { byCode, networks }: Pick<CurrencyTable, "byCode" | "networks">
): "no" | "unknown" | "yes" => {
  const { currency, network, txHash } = deposit
  const sent = view.get(TransactionAttempt, attemptKey(network, txHash))
  if (sent !== undefined) return sent.pays.length === 0 ? "yes" : "no"
  if (hasPaid(view, deposit)) return "no"
  const isToppedUp = networks.of(network).limits.topUpMax > 0n
  const isCoin = byCode(currency)?.asset?.contract === null
  return isToppedUp && isCoin && isFromWallet(view, deposit) ? "unknown" : "no"
}
