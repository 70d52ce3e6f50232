import type { OperationKind } from "../operation/Operation.ts"
import type { Pass } from "./Pass.ts"

/** The family of events that tells of the outcome of an operation; null where no event does. */
const outcomeFamily: Readonly<Record<OperationKind, string | null>> = {
  DEPOSIT: "deposit",
  CHAIN_PAYOUT: "chain_payout",
  WITHDRAWAL: "withdrawal",
  SWAP: "swap",
  OFF_RAMP: "payout",
  BANK_TRANSFER: "payout",
  REFUND: "payout",
  ON_RAMP: "transfer",
  INTERNAL_TRANSFER: "transfer",
  REVERSAL: null,
  ADJUSTMENT: null
}

/** Endpoints whose key makes an operation of the register. */
const operationEndpoints: ReadonlySet<string> = new Set([
  "POST /v1/chain-payouts",
  "POST /v1/withdrawals",
  "POST /v1/swaps",
  "POST /v1/transfers"
])

/** The feed of events is whole. */
export const eventFeed: Pass = {
  name: "event-feed",
  rule: "event ids run from 1 to the tenant's counter without a gap",
  run: ({ head }) => {
    let last = 0
    return {
      event: ({ id }) => {
        const expected = last + 1
        last = id
        return id === expected ? undefined : `event ${expected} is missing before event ${id}`
      },
      finish: () =>
        last === head.eventId ? undefined : `the head counts ${head.eventId} events, the feed ends at ${last}`
    }
  }
}

/** The feed of deposits is whole. */
export const depositFeed: Pass = {
  name: "deposit-feed",
  rule: "every change_seq from 1 to the tenant's counter was told by one event, and every deposit shows its latest",
  run: ({ head }) => {
    const told: Array<string> = []
    return {
      event: ({ data, id, kind }) => {
        if (kind !== "deposit.detected" && kind !== "deposit.confirmed" && kind !== "deposit.reorged") return undefined
        const expected = told.length + 1
        told.push(`${String(data["deposit_id"])} ${String(data["status"])}`)
        return data["change_seq"] === expected
          ? undefined
          : `event ${id} tells change_seq ${String(data["change_seq"])} where ${expected} was next`
      },
      deposit: ({ changeSeq, id, status }) =>
        told[changeSeq - 1] === `${id} ${status}`
          ? undefined
          : `deposit ${id} is ${status} at change_seq ${changeSeq}, which no event told`,
      finish: () =>
        told.length === head.changeSeq
          ? undefined
          : `the head counts ${head.changeSeq} changes, the events tell of ${told.length}`
    }
  }
}

/** Each finished operation was told of once. */
export const outcomes: Pass = {
  name: "outcomes",
  rule: "every operation that is over has exactly one event of its outcome",
  run: () => {
    const waiting = new Map<string, string>()
    return {
      operation: ({ id, kind, status }) => {
        const family = outcomeFamily[kind]
        if (family === null) return undefined
        if (status === "SETTLED" || status === "FAILED") waiting.set(id, `${family}.${status.toLowerCase()}`)
        if (status === "RETURNED") waiting.set(id, `${family}.returned`)
        return undefined
      },
      event: ({ id, kind, resourceId }) => {
        const expected = waiting.get(resourceId)
        if (expected === kind) {
          waiting.delete(resourceId)
          return undefined
        }
        return kind === "deposit.settled"
          ? `event ${id} tells of operation ${resourceId}, which is not a settled deposit`
          : undefined
      },
      finish: () => {
        const [first] = waiting
        return first === undefined ? undefined : `operation ${first[0]} is over but no event ${first[1]} tells of it`
      }
    }
  }
}

/** Every leg has its operation. */
export const operationsOfLegs: Pass = {
  name: "operations",
  rule: "every leg belongs to an operation, and every settled operation has legs",
  run: () => {
    const known = new Set<string>()
    const unposted = new Set<string>()
    return {
      operation: ({ id, status }) => {
        known.add(id)
        if (status === "SETTLED") unposted.add(id)
        return undefined
      },
      leg: ({ operationId, ordinal, postingSeq }) => {
        unposted.delete(operationId)
        return known.has(operationId)
          ? undefined
          : `leg ${postingSeq}/${ordinal} names operation ${operationId}, which does not exist`
      },
      finish: () => {
        const [first] = unposted
        return first === undefined ? undefined : `operation ${first} is settled but has no legs`
      }
    }
  }
}

/** What a deposit says of its credit is what the books say. */
export const creditedDeposits: Pass = {
  name: "credited-deposits",
  rule: "every DEPOSIT operation is the credit of its deposit, or was reversed once; every credited deposit has its operation",
  run: () => {
    const credits = new Map<string, { readonly depositId: string; readonly units: bigint; readonly currency: string }>()
    const reversed = new Set<string>()
    return {
      operation: ({ amount, details, id, kind }) => {
        if (kind === "DEPOSIT") credits.set(id, { depositId: String(details["deposit_id"]), ...amount })
        if (kind !== "REVERSAL") return undefined
        const credit = String(details["reverses"])
        if (reversed.has(credit)) return `operation ${credit} was reversed more than once`
        reversed.add(credit)
        return undefined
      },
      deposit: ({ creditedBy, currency, id, status, units }) => {
        if (creditedBy === null) return undefined
        const credit = credits.get(creditedBy)
        if (credit === undefined) return `deposit ${id} is credited by operation ${creditedBy}, which is not a DEPOSIT`
        if (reversed.has(creditedBy)) return `deposit ${id} is credited by operation ${creditedBy}, which was reversed`
        credits.delete(creditedBy)
        if (status !== "CONFIRMED") return `deposit ${id} is ${status} but credited by operation ${creditedBy}`
        return credit.depositId === id && credit.units === units && credit.currency === currency
          ? undefined
          : `operation ${creditedBy} credits ${credit.units} ${credit.currency} of deposit ${credit.depositId}, not ${units} ${currency} of ${id}`
      },
      finish: () => {
        for (const [id, { depositId }] of credits) {
          if (!reversed.has(id)) return `operation ${id} credits deposit ${depositId}, which does not say so`
        }
        return undefined
      }
    }
  }
}

/** A key that made an operation leads to it. */
export const claimedOperations: Pass = {
  name: "claims",
  rule: "every idempotency key that made an operation names one that exists, and no two keys name the same",
  run: () => {
    const known = new Set<string>()
    const named = new Map<string, string>()
    return {
      operation: ({ id }) => {
        known.add(id)
        return undefined
      },
      claim: ({ endpoint, key, outcome, resourceId }) => {
        if (!operationEndpoints.has(endpoint) || outcome._tag === "Refused") return undefined
        if (resourceId === null || !known.has(resourceId))
          return `key ${key} names operation ${resourceId}, which does not exist`
        const other = named.get(resourceId)
        named.set(resourceId, key)
        return other === undefined ? undefined : `keys ${other} and ${key} both name operation ${resourceId}`
      }
    }
  }
}
