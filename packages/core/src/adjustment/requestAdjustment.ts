import { BigInt as Big, Result } from "effect"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import { Refusal } from "../base/Refusal.ts"
import type { View } from "../engine/View.ts"
import { addUsage, usedCents, Usage } from "../limit/Usage.ts"
import { worthOf } from "../limit/worth.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import type { Rate } from "../money/Rate.ts"
import { centsOf } from "../tenant/usd.ts"
import { arrivalReads, assignedBy, freedArrival } from "./assignArrival.ts"
import { type Adjustment, adjustmentReads, bookAdjustment, refuseByItself, refuseNaming } from "./adjustFloat.ts"
import { FloatAdjustment } from "./FloatAdjustment.ts"
import type { Operation } from "../operation/Operation.ts"

/** A correction as an operator wishes it, with the price that tells whether another has to approve it. */
export interface RequestAdjustment extends Omit<Adjustment, "by" | "proposal"> {
  readonly by: string
  /** What one whole unit is worth in US dollars; null where it is not known. */
  readonly usd: Rate | null
  readonly currencies: CurrencyTable
}

/** What became of a request: it is booked, or waits for another operator. */
export type RequestedAdjustment = {
  /** What the float has of the currency afterwards, in base units. */
  readonly available: bigint
} & (
  | { readonly state: "booked"; readonly operation: Operation }
  | { readonly state: "proposed"; readonly adjustment: FloatAdjustment }
)

/** The scope under which what was booked without approval counts. */
export const adjustmentScope = "ADJUSTMENT"

/** The window within which that counts. */
export const adjustmentWindowMs = 86_400_000

const centsWorth = (view: View, { amount, currencies, usd }: RequestAdjustment): bigint | null => {
  const currency = currencies.byCode(amount.currency)
  if (currency === undefined) return null
  return worthOf(Big.abs(amount.units), currency, usd, view.now)?.cents ?? null
}

/**
 * Books an adjustment, or proposes it where another operator has to approve it: from the tenant's threshold on, counting what was
 * booked without approval within 24 hours so that a large one cannot be cut into small ones, and where its worth is not known.
 * Refused as `adjustFloat` refuses.
 */
export const requestAdjustment = (request: RequestAdjustment): Command<RequestedAdjustment> => ({
  name: "RequestAdjustment",
  reads: [...adjustmentReads(request, request.currencies), readRecord(Usage, adjustmentScope)],
  decide: (view) => {
    const { against, amount, assigns = null, by, corrects = null, currencies, from = null, reason } = request
    const { adjustmentReviewUsd } = view.tenant.policy
    const threshold = adjustmentReviewUsd === null ? null : centsOf(adjustmentReviewUsd)
    const usage = view.get(Usage, adjustmentScope)
    const cents = centsWorth(view, request)
    const before = view.balance("float:available", amount.currency).units
    const alone =
      threshold === null || (cents !== null && usedCents(usage, adjustmentWindowMs, view.now) + cents < threshold)
    if (alone) {
      const used = { at: view.now, cents: cents ?? 0n }
      return Result.map(
        bookAdjustment(
          view,
          { against, amount, assigns, corrects, from, reason, by: { made: by, approved: null, cents } },
          currencies
        ),
        ({ changes, operation }) => ({
          changes: [
            ...changes,
            ...(used.cents === 0n
              ? []
              : [putRecord(Usage, addUsage(usage, adjustmentScope, used, adjustmentWindowMs, view.now))])
          ],
          reply: { state: "booked", operation, available: before + (from === null ? amount.units : 0n) }
        })
      )
    }
    const refused = refuseByItself(request) ?? refuseNaming(view, request)
    if (refused !== undefined) return Result.fail(refused)
    const adjustment: FloatAdjustment = {
      id: view.newId(),
      amount,
      against,
      from,
      assigns,
      corrects,
      reason,
      proposedBy: by,
      state: "PROPOSED",
      decidedBy: null,
      rejectedReason: null,
      operationId: null,
      createdAt: view.now,
      decidedAt: null
    }
    return Result.succeed({
      changes: [
        putRecord(FloatAdjustment, adjustment),
        ...assignedBy(view, adjustment, { proposal: adjustment.id, operationId: null })
      ],
      reply: { state: "proposed", adjustment, available: before }
    })
  }
})

/** An operator's word on a proposal. */
export interface DecideAdjustment {
  /** As it was read: it says what booking it has to know of. */
  readonly adjustment: FloatAdjustment
  readonly by: string
  readonly currencies: CurrencyTable
}

const conflict = (message: string) => Result.fail(new Refusal({ code: "state_conflict", message }))

const notThere = Result.fail(new Refusal({ code: "not_found", message: "There is no such adjustment." }))

/**
 * Approves a proposal, so that it is booked: another operator than the one who made it. Refused: `not_found`; one that was decided
 * already or is the approver's own (`state_conflict`); what `adjustFloat` refuses.
 */
export const approveAdjustment = ({ adjustment: read, by, currencies }: DecideAdjustment): Command<Operation> => ({
  name: "ApproveAdjustment",
  reads: [readRecord(FloatAdjustment, read.id), ...adjustmentReads(read, currencies)],
  decide: (view) => {
    const found = view.get(FloatAdjustment, read.id)
    if (found === undefined) return notThere
    if (found.state !== "PROPOSED") return conflict(`The adjustment is ${found.state}.`)
    if (found.proposedBy === by) return conflict("Whoever proposed an adjustment cannot approve it.")
    const made = { ...found, proposal: found.id, by: { made: found.proposedBy, approved: by } }
    return Result.map(bookAdjustment(view, made, currencies), ({ changes, operation }) => {
      const booked: FloatAdjustment = {
        ...found,
        state: "BOOKED",
        decidedBy: by,
        operationId: operation.id,
        decidedAt: view.now
      }
      const all: ReadonlyArray<Change> = [...changes, putRecord(FloatAdjustment, booked)]
      return { changes: all, reply: operation }
    })
  }
})

/**
 * Rejects a proposal, as it was read; whoever made it may take it back. The arrival that it would have assigned is free again. Refused:
 * `not_found`; one that was decided (`state_conflict`).
 */
export const rejectAdjustment = (read: FloatAdjustment, by: string, reason: string): Command<FloatAdjustment> => ({
  name: "RejectAdjustment",
  reads: [readRecord(FloatAdjustment, read.id), ...arrivalReads(read)],
  decide: (view) => {
    const found = view.get(FloatAdjustment, read.id)
    if (found === undefined) return notThere
    if (found.state !== "PROPOSED") return conflict(`The adjustment is ${found.state}.`)
    const rejected: FloatAdjustment = {
      ...found,
      state: "REJECTED",
      decidedBy: by,
      rejectedReason: reason,
      decidedAt: view.now
    }
    return Result.succeed({
      changes: [putRecord(FloatAdjustment, rejected), ...freedArrival(view, rejected)],
      reply: rejected
    })
  }
})
