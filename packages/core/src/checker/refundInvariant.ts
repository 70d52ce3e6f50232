import { returnedOf } from "../operation/movedAmount.ts"
import type { Operation } from "../operation/Operation.ts"
import { refundableOf, refundSourceOf } from "../transfer/refund.ts"
import type { Invariant } from "./Invariant.ts"

/** What a refund has taken of what it pays back: nothing of what failed or came back. */
const takenBy = (refund: Operation): bigint =>
  refund.status === "FAILED" ? 0n : refund.amount.units - returnedOf(refund)

/** Nothing is paid back that did not come. */
export const refunds: Invariant = {
  name: "refunds",
  rule: "every refund that names its source pays back an ON_RAMP, which counts what its refunds take: no more than arrived",
  bySubject: ({ owns }) => {
    const sources = new Map<string, Operation>()
    const taken = new Map<string, { readonly refund: string; readonly units: bigint }>()
    return {
      operation: (operation) => {
        if (operation.kind === "ON_RAMP") sources.set(operation.id, operation)
        return undefined
      },
      all: {
        operation: (operation) => {
          const source = refundSourceOf(operation)
          if (source === undefined || !owns(source)) return undefined
          const units = (taken.get(source)?.units ?? 0n) + takenBy(operation)
          taken.set(source, { refund: operation.id, units })
          return undefined
        }
      },
      finish: () => {
        for (const [id, { refund, units }] of taken) {
          const source = sources.get(id)
          if (source === undefined) return `refund ${refund} pays back operation ${id}, which is no ON_RAMP`
          if (String(source.details.refunded ?? "0") !== units.toString())
            return `ON_RAMP ${id} counts ${String(source.details.refunded)} as refunded, its refunds take ${units}`
          // what the bank took back after it was refunded is the tenant's loss, and no refund's fault
          if (units > refundableOf(source) + returnedOf(source))
            return `the refunds of ON_RAMP ${id} take ${units}, it brought ${refundableOf(source) + returnedOf(source)}`
        }
        return undefined
      }
    }
  }
}
