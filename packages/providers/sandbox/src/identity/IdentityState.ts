import { type VerificationStatus, verificationStatuses } from "@bursar/core/port/IdentityProvider"
import { Schema } from "effect"

/** Somebody whose check was opened. */
export const Applicant = Schema.Struct({
  id: Schema.String,
  customerId: Schema.String,
  isBusiness: Schema.Boolean,
  status: Schema.Literals(verificationStatuses),
  openedAt: Schema.Finite,
  /** When it came to the status. */
  decidedAt: Schema.Finite
})

/** Somebody whose check was opened. */
export type Applicant = typeof Applicant.Type

/** What the identity provider of the sandbox keeps: no more of a person than our id of them. */
export const IdentityState = Schema.Struct({ applicants: Schema.Array(Applicant) })

/** What the identity provider of the sandbox keeps. */
export type IdentityState = typeof IdentityState.Type

/** Nobody was ever checked. */
export const initial: IdentityState = { applicants: [] }

/** The applicant of an id, the provider's or ours. */
export const find = ({ applicants }: IdentityState, id: string): Applicant | undefined =>
  applicants.find((one) => one.id === id || one.customerId === id)

/** The same with an applicant in the place of whoever had the id, or at the end. */
export const withApplicant = ({ applicants }: IdentityState, applicant: Applicant): IdentityState => ({
  applicants: applicants.some(({ id }) => id === applicant.id)
    ? applicants.map((one) => (one.id === applicant.id ? applicant : one))
    : [...applicants, applicant]
})

/** The applicant at a time: who waits is approved after so long, where that is wished. */
export const at = (applicant: Applicant, now: number, approveAfterMs: number | null): Applicant => {
  if (approveAfterMs === null || applicant.status !== "PENDING" || now < applicant.openedAt + approveAfterMs) {
    return applicant
  }
  return { ...applicant, status: "APPROVED", decidedAt: applicant.openedAt + approveAfterMs }
}

/** The applicant with a status to which the provider came now: always later than to the one before. */
export const decided = (applicant: Applicant, status: VerificationStatus, now: number): Applicant => ({
  ...applicant,
  status,
  decidedAt: Math.max(now, applicant.decidedAt + 1)
})
