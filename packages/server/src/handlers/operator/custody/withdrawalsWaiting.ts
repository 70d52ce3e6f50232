import { withdrawalsWaitingMax } from "@bursar/api/operator/OperatorCustody"
import { acceptedDestination } from "@bursar/core/destination/acceptedDestination"
import type { Destination } from "@bursar/core/destination/Destination"
import type { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { orUnavailable } from "../../../refusals.ts"

/** Where a withdrawal stands that nobody was asked to send: it leaves only while its destination receives. */
const unsent = ["ACCEPTED", "IN_REVIEW"] as const

/** Reads the withdrawals of a tenant that have not been sent, and counts those to a destination. */
export const withdrawalsWaiting = Effect.fnUntraced(function* (queries: Queries["Service"], tenantId: TenantId) {
  const found = yield* Effect.forEach(unsent, (status) =>
    orUnavailable(
      queries.operations({ tenantId, kinds: ["WITHDRAWAL"], status, order: "newest", limit: withdrawalsWaitingMax })
    )
  )
  const waiting = found.flat()
  return ({ address, currency, memo, network }: Destination): number =>
    waiting.filter((one) => {
      const to = acceptedDestination(one)
      const isThere = to?.address === address && to.memo === memo
      return isThere && one.network === network && one.amount.currency === currency
    }).length
})
