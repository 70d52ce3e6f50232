import type { View } from "../engine/View.ts"
import { zero } from "../money/Amount.ts"
import type { Operation } from "./Operation.ts"

/** An operation as it begins: of the tenant and of this moment, ACCEPTED, with nothing beside what is given. */
export const newOperation = (
  view: View,
  given: Pick<Operation, "kind" | "amount"> & Partial<Omit<Operation, "tenantId" | "createdAt">>
): Operation => ({
  id: view.newId(),
  status: "ACCEPTED",
  customerFee: zero(given.amount.currency),
  toAmount: null,
  toAmountQuoted: null,
  customerId: null,
  actsFor: "TENANT",
  network: null,
  provider: null,
  providerReference: null,
  partnerReference: null,
  networkFee: null,
  txHash: null,
  unresolved: false,
  details: {},
  settledAt: null,
  ...given,
  tenantId: view.tenant.id,
  createdAt: view.now
})
