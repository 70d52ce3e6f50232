import { accountTopic } from "@bursar/core/account/accountAgenda"
import { verificationTopic } from "@bursar/core/customer/Customer"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { FiatProvider } from "@bursar/core/port/FiatProvider"
import type { IdentityProvider } from "@bursar/core/port/IdentityProvider"
import { transferTopic } from "@bursar/core/transfer/Transfer"
import { Effect } from "effect"
import { type AgendaLimits, workAgenda } from "../agenda/workAgenda.ts"
import { driveAccount } from "./driveAccount.ts"
import { driveTransfer } from "./driveTransfer.ts"
import { readCheck } from "./readCheck.ts"

/** How the providers of identity and fiat are driven; what is missing is not. */
export interface FiatWork {
  readonly identity: IdentityProvider["Service"] | undefined
  readonly fiat: FiatProvider["Service"] | undefined
  readonly currencies: CurrencyTable
  readonly limits?: AgendaLimits
}

/**
 * Reads identity checks, opens and reads accounts, books what arrives on them, and carries transfers to the provider, elected
 * as `fiat`. Their webhooks only make it look sooner: what is recorded is what the provider says when it is asked.
 */
export const workFiat = ({ currencies, fiat, identity, limits }: FiatWork) =>
  workAgenda({
    name: "fiat",
    topics: [
      ...(fiat === undefined ? [] : [transferTopic, accountTopic]),
      ...(identity === undefined ? [] : [verificationTopic])
    ],
    handle: (fence, item) => {
      if (item.topic === verificationTopic && identity !== undefined) return readCheck(fence, item, identity)
      if (item.topic === accountTopic && fiat !== undefined) return driveAccount(fence, item, fiat)
      if (item.topic === transferTopic && fiat !== undefined) return driveTransfer(fence, item, fiat, currencies)
      return Effect.void
    },
    ...(limits && { limits })
  })
