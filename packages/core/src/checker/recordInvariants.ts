import { BigInt as Big } from "effect"
import type { Timestamp } from "../base/Timestamp.ts"
import type { Amount } from "../money/Amount.ts"
import { outcomeFamily } from "../operation/moveOperation.ts"
import type { Operation, OperationKind } from "../operation/Operation.ts"
import type { Invariant } from "./Invariant.ts"

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
export const eventFeed: Invariant = {
  name: "event-feed",
  rule: "event ids run from 1 to the tenant's counter without a gap, and no event is earlier than the one before, or later than the tenant's last change",
  run: ({ head }) => {
    let last = { id: 0, occurredAt: 0 }
    return {
      event: (event) => {
        const before = last
        last = event
        const { id, occurredAt } = event
        if (id !== before.id + 1) return `event ${before.id + 1} is missing before event ${id}`
        return occurredAt < before.occurredAt || occurredAt > head.lastAt
          ? `event ${id} occurred at ${occurredAt}, the one before at ${before.occurredAt} and the tenant's last change at ${head.lastAt}`
          : undefined
      },
      finish: () =>
        last.id === head.eventId ? undefined : `the head counts ${head.eventId} events, the feed ends at ${last.id}`
    }
  }
}

/** Every leg has its operation. */
export const operationsOfLegs: Invariant = {
  name: "operations",
  rule: "every leg belongs to an operation or to a transaction that is over, and every operation that has settled, and no other, has the time of its settlement, and legs that were posted then",
  bySubject: () => {
    const known = new Set<string>()
    const unposted = new Map<string, Timestamp>()
    return {
      operation: ({ id, kind, settledAt, status }) => {
        known.add(id)
        if (settledAt !== null) unposted.set(id, settledAt)
        if (status === "SETTLED" && settledAt === null) return `operation ${id} is settled at no time`
        const returns = status === "RETURNED" && outcomeFamily[kind] !== null
        return settledAt !== null && status !== "SETTLED" && !returns
          ? `operation ${id} settled at ${settledAt} and is ${status}`
          : undefined
      },
      transaction: ({ id, phase }) => {
        if (phase === "FINAL") known.add(id)
        return undefined
      },
      leg: ({ operationId, ordinal, postedAt, postingSeq }) => {
        if (unposted.get(operationId) === postedAt) unposted.delete(operationId)
        return known.has(operationId)
          ? undefined
          : `leg ${postingSeq}/${ordinal} names operation ${operationId}, which does not exist`
      },
      finish: () => {
        for (const [id, settledAt] of unposted) return `operation ${id} settled at ${settledAt}, it has no legs of then`
        return undefined
      }
    }
  }
}

/** Whether an operation credits a deposit, or moves what of it was credited before. */
const booksDeposit = ({ details, kind }: Operation): boolean =>
  kind === "DEPOSIT" || (kind === "ADJUSTMENT" && details.own_transfer === true && details.reverses === undefined)

/** Whether an operation takes back what was booked of a deposit. */
const takesBack = ({ details, kind }: Operation): boolean =>
  kind === "REVERSAL" || (details.own_transfer === true && details.reverses !== undefined)

/** What an operation says of the deposit that it credits. */
interface Credit extends Amount, Pick<Operation, "network" | "txHash"> {
  readonly depositId: string
}

/** What a deposit says of its credit is what the books say. */
export const creditedDeposits: Invariant = {
  name: "credited-deposits",
  rule: "every operation of a deposit is the credit of its deposit, or was reversed once, as it was credited; every credited deposit has its operation",
  bySubject: ({ owns }) => {
    const credits = new Map<string, Credit>()
    const reversed = new Set<string>()
    const takenBack = new Map<string, { readonly id: string; readonly units: bigint; readonly currency: string }>()
    return {
      operation: (operation) => {
        const { amount, details, id, network, txHash } = operation
        if (booksDeposit(operation))
          credits.set(id, { depositId: String(details.deposit_id), network, txHash, ...amount })
        return typeof details.reverses !== "string" && takesBack(operation)
          ? `operation ${id} takes back nothing that it names`
          : undefined
      },
      all: {
        operation: (operation) => {
          const { amount, details, id } = operation
          const credit = String(details.reverses)
          if (!takesBack(operation) || !owns(credit)) return undefined
          if (reversed.has(credit)) return `operation ${credit} was reversed more than once`
          reversed.add(credit)
          takenBack.set(credit, {
            id,
            currency: amount.currency,
            units: Big.abs(amount.units)
          })
          return undefined
        },
        deposit: ({ creditedBy, currency, id, network, ownUnits, status, txHash, units: arrived }) => {
          if (creditedBy === null || !owns(creditedBy)) return undefined
          const units = ownUnits === arrived ? arrived : arrived - ownUnits
          const credit = credits.get(creditedBy)
          if (credit === undefined)
            return `deposit ${id} is credited by operation ${creditedBy}, which is not a DEPOSIT`
          if (reversed.has(creditedBy))
            return `deposit ${id} is credited by operation ${creditedBy}, which was reversed`
          credits.delete(creditedBy)
          if (status !== "CONFIRMED") return `deposit ${id} is ${status} but credited by operation ${creditedBy}`
          if (credit.network !== network || credit.txHash !== txHash)
            return `deposit ${id} came by ${txHash} on ${network}, operation ${creditedBy} tells of ${credit.txHash} on ${credit.network}`
          return credit.depositId === id && credit.units === units && credit.currency === currency
            ? undefined
            : `operation ${creditedBy} credits ${credit.units} ${credit.currency} of deposit ${credit.depositId}, not ${units} ${currency} of ${id}`
        }
      },
      finish: () => {
        // ids of one commit are in no order: a reversal may come before what it takes back
        for (const [credit, { currency, id, units }] of takenBack) {
          const made = credits.get(credit)
          if (made?.units !== units || made.currency !== currency)
            return `operation ${id} takes back ${units} ${currency} of operation ${credit}, which credits ${made?.units ?? "nothing"} ${made?.currency ?? ""}`
        }
        for (const [id, { depositId }] of credits) {
          if (!reversed.has(id)) return `operation ${id} credits deposit ${depositId}, which does not say so`
        }
        return undefined
      }
    }
  }
}

/** A key that made an operation leads to it. */
export const recordedOperations: Invariant = {
  name: "idempotency-records",
  rule: "every operation that a request made is named by one idempotency key of its endpoint, and every key leads to its operation",
  bySubject: () => {
    const known = new Map<string, OperationKind>()
    const named = new Map<string, string>()
    return {
      operation: ({ id, kind }) => {
        known.set(id, kind)
        return undefined
      },
      idempotencyRecord: ({ endpoint, key, outcome, resourceId }) => {
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
