import { Result } from "effect"
import { schedule, unschedule } from "../engine/Job.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import type { CheckState, OpenedCheck, VerificationStatus } from "../port/IdentityProvider.ts"
import { Customer, verificationKey, verificationQueue } from "./Customer.ts"
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

/**
 * Records that an identity check is open, and has it read again until it is decided, and now and then afterwards. Another
 * applicant takes the place of the one before.
 */
export const recordOpenedCheck = (
  customerId: string,
  provider: string,
  { applicantId, status }: Pick<OpenedCheck, "applicantId" | "status">
): Command<Customer> => ({
  name: "RecordOpenedCheck",
  reads: [readRecord(Customer, customerId)],
  decide: (view) =>
    Result.map(customerOf(view, customerId), (found) => {
      const before = found.verification
      const soon = schedule(verificationQueue, verificationKey(applicantId, customerId), view.now)
      if (before?.applicantId === applicantId) return { changes: [soon], reply: found }
      const customer: Customer = {
        ...found,
        verification: {
          provider,
          applicantId,
          // an approval counts only once it was read with what it grants
          status: status === "APPROVED" ? "PENDING" : status,
          capabilities: [],
          expiresAt: null,
          environment: null,
          decidedAt: null
        }
      }
      const stale =
        before === null ? [] : [unschedule(verificationQueue, verificationKey(before.applicantId, customerId))]
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
    const applicantId = found?.verification?.applicantId
    const current = applicantId !== undefined && verificationKey(applicantId, customerId) === key
    return Result.succeed({
      changes: [current ? schedule(verificationQueue, key, view.now + retryMs) : unschedule(verificationQueue, key)],
      reply: current ? found : undefined
    })
  }
})

/**
 * Records what the provider says of an applicant. What it decided earlier never replaces what it decided later: a rejection
 * after an approval takes the approval back, an approval that is told late does not bring it again.
 */
export const recordCheck = (customerId: string, applicantId: string, state: CheckState): Command<Customer> => ({
  name: "RecordCheck",
  reads: [readRecord(Customer, customerId)],
  decide: (view) =>
    Result.map(customerOf(view, customerId), (found) => {
      const { verification } = found
      if (verification === null || verification.applicantId !== applicantId) return { changes: [], reply: found }
      const replaces = verification.decidedAt === null || state.decidedAt >= verification.decidedAt
      const status = replaces ? state.status : verification.status
      const again = schedule(verificationQueue, verificationKey(applicantId, customerId), view.now + rereadMs[status])
      if (!replaces) return { changes: [again], reply: found }
      const customer: Customer = {
        ...found,
        verification: {
          ...verification,
          status,
          capabilities: status === "APPROVED" ? state.capabilities : [],
          expiresAt: state.expiresAt,
          environment: state.environment,
          decidedAt: state.decidedAt
        }
      }
      return { changes: [putRecord(Customer, customer), again], reply: customer }
    })
})
