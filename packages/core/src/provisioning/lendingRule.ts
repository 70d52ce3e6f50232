import { schedule } from "../engine/Job.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import type { OutboundTransaction } from "../transaction/OutboundTransaction.ts"
import type { LendingRule } from "../transaction/PurposeRule.ts"
import { provisioningItem, provisioningQueue } from "../transaction/queues.ts"
import { AccountProvisioning, provisioningKey } from "./AccountProvisioning.ts"

/** The provisioning of the account that lent its sequence, where one did. */
const lenderOf = ({ counterId, guard, network, walletId }: OutboundTransaction): string | null =>
  guard._tag === "Sequence" && counterId !== walletId ? provisioningKey({ network, address: guard.account }) : null

/** An account that lent its sequence and may have run out of funds for fees counts as not ready, so that it is looked at. */
export const lendingRule: LendingRule = {
  reads: (transaction) => {
    const key = lenderOf(transaction)
    return key === null ? [] : [readRecord(AccountProvisioning, key)]
  },
  unfunded: (view, transaction) => {
    const key = lenderOf(transaction)
    const provisioning = key === null ? undefined : view.get(AccountProvisioning, key)
    if (provisioning?.ready !== true) return []
    return [
      putRecord(AccountProvisioning, { ...provisioning, ready: false, since: view.now }),
      schedule(provisioningQueue(transaction.network), provisioningItem, view.now)
    ]
  }
}
