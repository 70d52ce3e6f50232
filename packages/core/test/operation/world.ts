import type { View } from "@bursar/core/engine/View"
import type { Operation } from "@bursar/core/operation/Operation"
import { TenantId } from "@bursar/core/tenant/Tenant"

/** An operation of 100 EUR that is under way with a provider. */
export const operationOf = (kind: Operation["kind"], more: Partial<Operation> = {}): Operation => ({
  id: "op-1",
  tenantId: TenantId("t1"),
  kind,
  status: "PROCESSING",
  amount: { units: 10_000n, currency: "EUR" },
  customerFee: { units: 100n, currency: "EUR" },
  toAmount: null,
  toAmountQuoted: null,
  customerId: null,
  actsFor: "TENANT",
  network: null,
  provider: "fake",
  providerReference: "theirs-1",
  partnerReference: "ours-1",
  networkFee: null,
  txHash: "0x1",
  unresolved: false,
  details: {},
  createdAt: 1,
  settledAt: null,
  ...more
})

/** A view of a tenant at a moment: of rules that look at nothing stored. */
export const viewAt = (now: number, more: Partial<View> = {}): View => {
  let ids = 0
  // all of a view that these rules take
  const view = { now, nextEventId: () => ++ids, newId: () => `id-${++ids}`, tenant: { id: "t1" }, ...more }
  return view as unknown as View
}
