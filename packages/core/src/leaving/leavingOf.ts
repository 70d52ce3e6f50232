import { of } from "../money/Amount.ts"
import type { Leaving } from "./mayLeave.ts"
import type { Payout } from "../payout/Payout.ts"

/** What of a payout says what has to be read to know whether it may leave. */
export const leavingOf = ({ currency, network, operationId, units }: Payout): Leaving => ({
  id: operationId,
  kind: "CHAIN_PAYOUT",
  amount: of(units, currency),
  network,
  customerId: null,
  actsFor: "TENANT"
})
