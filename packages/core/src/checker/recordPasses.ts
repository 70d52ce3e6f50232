import type { Deposit } from "../deposit/Deposit.ts"
import type { DepositStatus } from "../deposit/DepositMachine.ts"
import type { Json } from "../engine/Json.ts"
import type { Event } from "../event/Event.ts"
import { outcomeFamily } from "../operation/moveOperation.ts"
import type { OperationKind } from "../operation/Operation.ts"
import type { Pass } from "./Pass.ts"

/** The endpoint that makes an operation, under an idempotency key; kinds that are not here are made without one. */
const madeBy: Readonly<Partial<Record<OperationKind, string>>> = {
  CHAIN_PAYOUT: "POST /v1/chain-payouts",
  WITHDRAWAL: "POST /v1/withdrawals",
  SWAP: "POST /v1/swaps",
  ON_RAMP: "POST /v1/transfers",
  OFF_RAMP: "POST /v1/transfers",
  BANK_TRANSFER: "POST /v1/transfers",
  INTERNAL_TRANSFER: "POST /v1/transfers",
  REFUND: "POST /v1/transfers"
}

const operationEndpoints: ReadonlySet<string> = new Set(Object.values(madeBy))

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

/** The events that tell of a deposit's moves, with the status that each tells. */
const toldStatus: Readonly<Record<string, DepositStatus>> = {
  "deposit.detected": "DETECTED",
  "deposit.confirmed": "CONFIRMED",
  "deposit.reorged": "REORGED"
}

/**
 * What an event tells of a deposit and its row must show too. The amount of a credited deposit is compared with its
 * operation; a block may come after the event.
 */
const differing = (deposit: Deposit, data: Event["data"]): string | undefined => {
  const shown: ReadonlyArray<readonly [string, Json]> = [
    ["status", deposit.status],
    ["network", deposit.network],
    ["address", deposit.address],
    ["tx_hash", deposit.txHash],
    ["transfer_index", deposit.transferIndex],
    ["historical", deposit.historical],
    ...(deposit.creditedBy === null
      ? [["amount_units", deposit.units.toString()] as const, ["currency", deposit.currency] as const]
      : []),
    ...(data["block_number"] === null ? [] : [["block_number", deposit.block?.number ?? null] as const])
  ]
  return shown.find(([name, value]) => data[name] !== value)?.[0]
}

/** The feed of deposits is whole. */
export const depositFeed: Pass = {
  name: "deposit-feed",
  rule: "every change_seq from 1 to the tenant's counter was told by one event, and every deposit shows what the latest told",
  run: ({ head }) => {
    const told: Array<Event["data"]> = []
    const unseen = new Set<string>()
    return {
      event: ({ data, id, kind, resourceId }) => {
        const status = toldStatus[kind]
        if (status === undefined) return undefined
        const expected = told.length + 1
        told.push(data)
        unseen.add(String(data["deposit_id"]))
        if (data["change_seq"] !== expected)
          return `event ${id} tells change_seq ${String(data["change_seq"])} where ${expected} was next`
        if (data["status"] !== status) return `event ${id} is a ${kind} but tells of status ${String(data["status"])}`
        return data["deposit_id"] === resourceId
          ? undefined
          : `event ${id} names deposit ${resourceId} but tells of ${String(data["deposit_id"])}`
      },
      deposit: (deposit) => {
        unseen.delete(deposit.id)
        const latest = told[deposit.changeSeq - 1]
        if (latest === undefined || latest["deposit_id"] !== deposit.id) {
          return `deposit ${deposit.id} is ${deposit.status} at change_seq ${deposit.changeSeq}, which no event told`
        }
        const field = differing(deposit, latest)
        return field === undefined
          ? undefined
          : `deposit ${deposit.id} shows another ${field} than the event of change_seq ${deposit.changeSeq}`
      },
      finish: () => {
        const [missing] = unseen
        if (missing !== undefined) return `events tell of deposit ${missing}, which does not exist`
        return told.length === head.changeSeq
          ? undefined
          : `the head counts ${head.changeSeq} changes, the events tell of ${told.length}`
      }
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
      event: ({ data, id, kind, resourceId }) => {
        if (kind === "deposit.settled" && data["operation_id"] !== resourceId) {
          return `event ${id} names operation ${resourceId} but tells of ${String(data["operation_id"])}`
        }
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
  rule: "every leg belongs to an operation or to a spend that is over, and every settled operation has legs and the time of its settlement",
  run: () => {
    const known = new Set<string>()
    const unposted = new Set<string>()
    return {
      operation: ({ id, settledAt, status }) => {
        known.add(id)
        if (status === "SETTLED") unposted.add(id)
        return status === "SETTLED" && settledAt === null ? `operation ${id} is settled at no time` : undefined
      },
      spend: ({ id, phase }) => {
        if (phase === "FINAL") known.add(id)
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
  rule: "every operation that a request made is named by one idempotency key of its endpoint, and every key leads to its operation",
  run: () => {
    const known = new Map<string, OperationKind>()
    const named = new Map<string, string>()
    return {
      operation: ({ id, kind }) => {
        known.set(id, kind)
        return undefined
      },
      claim: ({ endpoint, key, outcome, resourceId }) => {
        if (!operationEndpoints.has(endpoint) || outcome._tag === "Refused") return undefined
        const kind = resourceId === null ? undefined : known.get(resourceId)
        if (resourceId === null || kind === undefined)
          return `key ${key} names operation ${resourceId}, which does not exist`
        if (madeBy[kind] !== endpoint)
          return `key ${key} of ${endpoint} names operation ${resourceId}, which is a ${kind}`
        const other = named.get(resourceId)
        named.set(resourceId, key)
        return other === undefined ? undefined : `keys ${other} and ${key} both name operation ${resourceId}`
      },
      finish: () => {
        for (const [id, kind] of known) {
          if (madeBy[kind] !== undefined && !named.has(id)) return `no idempotency key names operation ${id}, a ${kind}`
        }
        return undefined
      }
    }
  }
}
