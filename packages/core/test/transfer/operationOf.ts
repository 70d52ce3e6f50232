import type { View } from "@bursar/core/engine/View"
import { of } from "@bursar/core/money/Amount"
import { newOperation } from "@bursar/core/operation/newOperation"
import type { Operation } from "@bursar/core/operation/Operation"
import { defaultPolicy, TenantId } from "@bursar/core/tenant/Tenant"
import type { ProvidedKind } from "@bursar/core/transfer/Transfer"

// all of a view that a new operation takes
const view = {
  now: 0,
  newId: () => crypto.randomUUID(),
  tenant: { id: TenantId("t"), policy: defaultPolicy }
} as unknown as View

/** A transfer of 100 EUR that nobody has accepted. */
export const operationOf = (kind: ProvidedKind, more: Partial<Operation> = {}): Operation => ({
  ...newOperation(view, { kind, status: "ACCEPTED", amount: of(10_000n, "EUR"), details: {} }),
  ...more
})
