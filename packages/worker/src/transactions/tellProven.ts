import { Operation } from "@bursar/core/operation/Operation"
import { assignedOf, changeOf } from "@bursar/core/operation/ownArrivals"
import { tellAssigned } from "@bursar/core/operation/tellAssigned"
import { tellShort } from "@bursar/core/operation/tellShort"
import { provenHash } from "@bursar/core/payout/payoutDetails"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import type { Send } from "./Send.ts"

/**
 * Tells operators what they have assigned of the change of transactions that evidence has settled payouts by. It is read once the payouts are settled:
 * what was assigned just before that is told as well. So is what suspense was short of.
 */
export const tellProven = Effect.fnUntraced(function* (
  { currencies, sender: { network } }: Send,
  tenantId: TenantId,
  { asked, payouts }: { readonly asked: ReadonlyArray<string>; readonly payouts: ReadonlyArray<string> }
) {
  const queries = yield* Queries
  const native = currencies.byAsset(network, null)?.code
  for (const txHash of asked) {
    const known = yield* queries.records(tenantId, Operation, txHash)
    if (known.some((one) => provenHash(one) === txHash && payouts.includes(one.id))) {
      yield* tellAssigned(tenantId, assignedOf(changeOf(known, { network, native })))
      yield* tellShort(known)
    }
  }
})
