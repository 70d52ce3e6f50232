import { withdrawalsWaitingMax } from "@bursar/api/operator/OperatorCustody"
import { acceptedDestination } from "@bursar/core/destination/acceptedDestination"
import type { Destination } from "@bursar/core/destination/Destination"
import type { Queries } from "@bursar/core/store/Queries"
import { isReadable } from "@bursar/core/store/UnreadableOperation"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { orUnavailable } from "../../../refusals.ts"

/** Where a withdrawal stands that nobody was asked to send: it leaves only while its destination receives. */
const unsent = ["ACCEPTED", "IN_REVIEW"] as const

/**
 * Reads the withdrawals of a tenant that have not been sent, and counts those to a destination. One that cannot be read is logged and counts nowhere:
 * it must not keep anybody from looking at destinations, and from rejecting one.
 */
export const withdrawalsWaiting = Effect.fnUntraced(function* (queries: Queries["Service"], tenantId: TenantId) {
  const found = yield* Effect.forEach(unsent, (status) =>
    orUnavailable(
      queries.listedOperations({
        tenantId,
        kinds: ["WITHDRAWAL"],
        status,
        order: "newest",
        limit: withdrawalsWaitingMax
      })
    )
  )
  const waiting = found.flat().filter(isReadable)
  return ({ address, currency, memo, network }: Destination): number =>
    waiting.filter((one) => {
      const to = acceptedDestination(one)
      const isThere = to?.address === address && to.memo === memo
      return isThere && one.network === network && one.amount.currency === currency
    }).length
})
