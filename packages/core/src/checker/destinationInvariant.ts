import { destinationLogKey } from "./destinationLog.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import { isOver } from "../operation/OperationMachine.ts"
import { acceptedDestination } from "../destination/acceptedDestination.ts"
import { type Destination, usableDestination } from "../destination/Destination.ts"
import type { Invariant } from "./Invariant.ts"

/** The destinations of a tenant as they stood at a moment: what was rejected later was not yet. */
const asOf = (all: ReadonlyArray<Destination>, at: Timestamp): ReadonlyArray<Destination> =>
  all.map((one) =>
    one.rejectedAt !== null && one.rejectedAt >= at ? { ...one, rejectedAt: null, rejectedReason: null } : one
  )

/** An open withdrawal goes where its tenant's verified destination was when it was accepted. */
export const withdrawalDestinations: Invariant = {
  name: "destinations",
  rule: "every withdrawal that is open goes to the destination of its currency that was verified when it was accepted",
  run: () => {
    const all: Array<Destination> = []
    return {
      destination: (one) => {
        all.push(one)
        return undefined
      },
      operation: (operation) => {
        const { amount, createdAt, id, kind, network, status } = operation
        if (kind !== "WITHDRAWAL" || isOver(status)) return undefined
        const goesTo = acceptedDestination(operation)
        const verified = usableDestination(asOf(all, createdAt), amount.currency, createdAt)
        return verified !== undefined &&
          goesTo?.address === verified.address &&
          goesTo.memo === verified.memo &&
          network === verified.network
          ? undefined
          : `withdrawal ${id} goes to ${goesTo?.address ?? "nowhere"}, verified for ${amount.currency} was ${verified?.address ?? "nothing"}`
      }
    }
  }
}

/**
 * A destination is what operators verified, as the log of their actions says. Of one that was verified before the log kept digests
 * only who did it is held against the log.
 */
export const loggedDestinations: Invariant = {
  name: "destination-log",
  rule: "every verified destination that was not rejected is, letter for letter, what the log of operators' actions says was verified and by whom; where the log is older than digests, by whom",
  run: ({ destinationLog, head }) => ({
    destination: ({ id, rejectedAt, verifiedBy }, digest) => {
      if (destinationLog === undefined || verifiedBy === null || rejectedAt !== null) return undefined
      const logged = destinationLog.get(destinationLogKey(head.tenant.id, id))
      if (logged?.rejected === true) return `destination ${id} was rejected by an operator and stands`
      if (logged?.verifiedBy !== verifiedBy)
        return `destination ${id} says that ${verifiedBy} verified it, the log of operators says ${logged?.verifiedBy ?? "nobody"}`
      return logged.digest === undefined || logged.digest === digest
        ? undefined
        : `destination ${id} is not what ${verifiedBy} verified`
    }
  })
}
