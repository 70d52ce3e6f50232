import { Result } from "effect"
import { Refusal } from "../base/Refusal.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import { schedule, unschedule } from "../engine/Job.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import type { CheckState, OpenedCheck, VerificationStatus } from "../port/IdentityProvider.ts"
import {
  type CustomerVerification,
  checkOfKey,
  Customer,
  grantsAny,
  statusAt,
  verificationKey,
  verificationQueue
} from "./Customer.ts"
import { customerOf } from "./permit.ts"

const minuteMs = 60_000

const retryMs = minuteMs / 2

/** How long a check rests before it is read again: what is being decided often, what is decided once a day. */
const rereadMs: Readonly<Record<VerificationStatus, number>> = {
  NOT_STARTED: minuteMs,
  PENDING: minuteMs,
  IN_REVIEW: minuteMs,
  ACTION_REQUIRED: 5 * minuteMs,
  APPROVED: 24 * 60 * minuteMs,
  REJECTED: 24 * 60 * minuteMs,
  EXPIRED: 24 * 60 * minuteMs
}

/** A customer by its id, as the latest commit left it. Refuses one that is not the tenant's (`not_found`). */
export const findCustomer = (customerId: string): Command<Customer> => ({
  name: "FindCustomer",
  reads: [readRecord(Customer, customerId)],
  decide: (view) => Result.map(customerOf(view, customerId), (reply) => ({ changes: [], reply }))
})

/** Where a check stands that was opened and not read: an approval counts only once it was read with what it grants. */
export const unread = (status: VerificationStatus): VerificationStatus => (status === "APPROVED" ? "PENDING" : status)

/** Ends the reading of the checks that a customer has no more. */
const unscheduled = (customerId: string, before: CustomerVerification | null, kept: ReadonlyArray<string>) =>
  (before === null ? [] : [before, ...(before.next === undefined ? [] : [before.next])])
    .filter(({ applicantId }) => !kept.includes(applicantId))
    .map(({ applicantId }) => unschedule(verificationQueue, verificationKey(applicantId, customerId)))

/**
 * Records that an identity check is open, and has it read again until it is decided, and now and then afterwards. Another
 * applicant takes the place of the one before: at once, unless one of the `earlier` providers, which are still asked, grants something to the one
 * before; then once it is decided.
 */
export const recordOpenedCheck = (
  customerId: string,
  provider: string,
  { applicantId, status }: Pick<OpenedCheck, "applicantId" | "status">,
  earlier: ReadonlyArray<string> = []
): Command<Customer> => ({
  name: "RecordOpenedCheck",
  reads: [readRecord(Customer, customerId)],
  decide: (view) =>
    Result.map(customerOf(view, customerId), (found) => {
      const before = found.verification
      const soon = schedule(verificationQueue, verificationKey(applicantId, customerId), view.now)
      if (before?.applicantId === applicantId) return { changes: [soon], reply: found }
      const stays = grantsAny(before, view.now) && earlier.includes(before.provider)
      const customer: Customer = {
        ...found,
        verification: stays
          ? { ...before, next: { provider, applicantId } }
          : {
              provider,
              applicantId,
              status: unread(status),
              capabilities: [],
              expiresAt: null,
              environment: null,
              decidedAt: null
            }
      }
      const stale = unscheduled(customerId, before, stays ? [before.applicantId, applicantId] : [applicantId])
      return { changes: [putRecord(Customer, customer), ...stale, soon], reply: customer }
    })
})

/**
 * The customer whose check a process of the worker begins to read; undefined where the job's key belongs to no record. The
 * next reading is put off in the same commit, so that one that fails comes again a little later.
 */
export const rereadCheck = (customerId: string, key: string): Command<Customer | undefined> => ({
  name: "RereadCheck",
  reads: [readRecord(Customer, customerId)],
  decide: (view) => {
    const found = view.get(Customer, customerId)
    const current = found !== undefined && checkOfKey(found, key) !== undefined
    return Result.succeed({
      changes: [current ? schedule(verificationQueue, key, view.now + retryMs) : unschedule(verificationQueue, key)],
      reply: current ? found : undefined
    })
  }
})

/** The date of the latest state that the provider itself dated, as far as is known. */
const verdictAtOf = ({ decidedAt, isUndated, verdictAt }: CustomerVerification): Timestamp | undefined =>
  isUndated === true ? verdictAt : (decidedAt ?? undefined)

/**
 * Whether a state of the same applicant's is at least as late as the one that is known. An undated state is known by when it was seen, which may be
 * after the verdict that ends it: a verdict that is later than the last one counts then, however it is dated. After a check that is over, the last one
 * itself counts again: it was brought back.
 */
const isLater = (known: CustomerVerification, state: CheckState): boolean => {
  if (known.decidedAt === null || state.decidedAt >= known.decidedAt) return true
  if (known.isUndated !== true || state.isUndated === true) return false
  const last = known.verdictAt ?? -Infinity
  return known.status === "EXPIRED" ? state.decidedAt >= last : state.decidedAt > last
}

/** What is kept of what was known before a state of the same applicant: the check beside it, and the date of the verdict before an undated one. */
const keptOf = (known: CustomerVerification, { isUndated }: CheckState) => {
  const verdictAt = isUndated === true ? verdictAtOf(known) : undefined
  return { ...(known.next && { next: known.next }), ...(verdictAt !== undefined && { verdictAt }) }
}

/**
 * Whether what is said of the check that is open beside an approval makes it the customer's: it is an approval that grants something, or a rejection since. A rejection from
 * before is none of this check, an approval of nothing decides nothing, and nothing is lost where the approval beside it counts no more.
 */
const takesOver = (beside: CustomerVerification, state: CheckState, now: Timestamp): boolean =>
  !grantsAny(beside, now) ||
  grantsAny({ ...beside, ...state }, now) ||
  (state.status === "REJECTED" && isLater(beside, state))

/**
 * Records what the provider says of an applicant. What it decided earlier never replaces what it decided later: a rejection
 * after an approval takes the approval back, an approval that is told late does not bring it again. The check that is open beside an approval is the
 * customer's once it is decided, or once that approval counts no more.
 */
export const recordCheck = (customerId: string, applicantId: string, state: CheckState): Command<Customer> => ({
  name: "RecordCheck",
  reads: [readRecord(Customer, customerId)],
  decide: (view) =>
    Result.map(customerOf(view, customerId), (found) => {
      const { verification } = found
      const key = verificationKey(applicantId, customerId)
      const check = checkOfKey(found, key)
      if (verification === null || check === undefined) return { changes: [], reply: found }
      const isNext = check === verification.next
      const replaces = isNext ? takesOver(verification, state, view.now) : isLater(verification, state)
      const status = replaces || isNext ? state.status : verification.status
      const again = schedule(verificationQueue, key, view.now + rereadMs[status])
      if (!replaces) return { changes: [again], reply: found }
      const customer: Customer = {
        ...found,
        verification: {
          provider: check.provider,
          applicantId: check.applicantId,
          status,
          capabilities: status === "APPROVED" ? state.capabilities : [],
          expiresAt: state.expiresAt,
          environment: state.environment,
          decidedAt: state.decidedAt,
          ...(state.isUndated === true && { isUndated: true }),
          ...(isNext ? {} : keptOf(verification, state))
        }
      }
      const stale = isNext ? unscheduled(customerId, verification, [applicantId]) : []
      return { changes: [putRecord(Customer, customer), ...stale, again], reply: customer }
    })
})

/**
 * Ends the approval of an applicant for an operator, where the provider knows the applicant no more: it grants nothing from now on. The provider's
 * word stands above that: an approval that it still tells of counts again. Refused (`state_conflict`) where it is no approval of this applicant any more.
 */
export const endCheck = (customerId: string, applicantId: string): Command<Customer> => ({
  name: "EndCheck",
  reads: [readRecord(Customer, customerId)],
  decide: (view) =>
    Result.flatMap(customerOf(view, customerId), (found) => {
      const { verification } = found
      if (verification?.applicantId !== applicantId || statusAt(verification, view.now) !== "APPROVED")
        return Result.fail(
          new Refusal({ code: "state_conflict", message: "The customer has no approval of this applicant now." })
        )
      const { provider } = verification
      const over = { status: "EXPIRED", capabilities: [], expiresAt: null, environment: null, isUndated: true } as const
      const kept = keptOf(verification, { ...over, decidedAt: view.now })
      const customer: Customer = {
        ...found,
        verification: { provider, applicantId, ...over, decidedAt: view.now, ...kept }
      }
      const soon = schedule(verificationQueue, verificationKey(applicantId, customerId), view.now)
      return Result.succeed({ changes: [putRecord(Customer, customer), soon], reply: customer })
    })
})
