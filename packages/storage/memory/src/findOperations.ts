import { Operation } from "@bursar/core/operation/Operation"
import { waitsOf } from "@bursar/core/operation/waits"
import type { OperationQuery } from "@bursar/core/store/Queries"
import { byAge } from "./byAge.ts"
import { matches, within } from "./lists.ts"
import { recordsOf, type State, type TenantRecords } from "./Store.ts"
import { Payout } from "@bursar/core/payout/Payout"

/** Why an operation waits, as its payout says, else its details. */
const waitsFor = (tenant: TenantRecords, operation: Operation): ReadonlyArray<string> => {
  const payout = recordsOf(tenant, Payout).get(operation.id)
  const waits = payout?.transactionId === null ? payout.waits : null
  return [waits, waitsOf(operation)].flatMap((one) => (one === null ? [] : [one.reason]))
}

/** Operations of one tenant or of all, as operators look for them. */
export const findOperations = (state: State, query: OperationQuery): ReadonlyArray<Operation> => {
  const { after, kinds, limit, order, waitingReason } = query
  const sign = order === "newest" ? -1 : 1
  return [...state.tenants.entries()]
    .filter(([id]) => matches(query.tenantId, id))
    .flatMap(([, tenant]) =>
      [...recordsOf(tenant, Operation).values()].filter(
        (one) => waitingReason === undefined || waitsFor(tenant, one).includes(waitingReason)
      )
    )
    .filter((one) => kinds === undefined || kinds.includes(one.kind))
    .filter((one) => matches(query.status, one.status))
    .filter((one) => matches(query.unresolved, one.unresolved))
    .filter((one) => query.contradicted === undefined || one.details.contradiction !== undefined)
    .filter((one) => matches(query.provider, one.provider))
    .filter((one) => matches(query.network, one.network))
    .filter((one) => matches(query.currency, one.amount.currency))
    .filter((one) => matches(query.txHash, one.txHash))
    .filter((one) => within(one.createdAt, query))
    .filter((one) => after === undefined || sign * byAge(one, after) > 0)
    .toSorted((one, other) => sign * byAge(one, other))
    .slice(0, limit)
}
