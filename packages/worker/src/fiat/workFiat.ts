import { accountQueue } from "@bursar/core/account/accountQueue"
import { verificationQueue } from "@bursar/core/customer/Customer"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { FiatProvider } from "@bursar/core/port/FiatProvider"
import type { IdentityProvider } from "@bursar/core/port/IdentityProvider"
import { transferQueue } from "@bursar/core/transfer/Transfer"
import { type QueueLimits, workQueue } from "../queue/workQueue.ts"
import { driveAccount } from "./driveAccount.ts"
import { driveTransfer } from "./driveTransfer.ts"
import { readCheck } from "./readCheck.ts"

/** How the providers of identity and fiat are driven. Each is asked about what names it, and about nothing else. */
export interface FiatWork {
  readonly identities: ReadonlyArray<IdentityProvider["Service"]>
  readonly fiats: ReadonlyArray<FiatProvider["Service"]>
  readonly currencies: CurrencyTable
  readonly limits?: QueueLimits
}

/**
 * Reads identity checks, opens and reads accounts, books what arrives on them, and carries transfers to the provider, elected
 * as `fiat`. Their webhooks only make it look sooner: what is recorded is what the provider says when it is asked.
 */
export const workFiat = ({ currencies, fiats, identities, limits }: FiatWork) =>
  workQueue({
    name: "fiat",
    queues: [transferQueue, accountQueue, verificationQueue],
    handle: (fence, item) => {
      if (item.queue === verificationQueue) return readCheck(fence, item, identities)
      return item.queue === accountQueue
        ? driveAccount(fence, item, fiats, currencies)
        : driveTransfer(fence, item, fiats, currencies)
    },
    ...(limits && { limits })
  })
