import type { Timestamp } from "../base/Timestamp.ts"
import { defineRecord } from "../engine/Records.ts"
import type { PostingRange } from "../store/Journal.ts"
import type { Period } from "./Period.ts"

/**
 * The layout of the statements that are made now. Another layout is another version: statements that were hashed stay as they are.
 * Version 1 has semicolons of partners as they are, and takes only what stands first in a reference for the beginning of a formula.
 * Versions 1 and 2 have all that the service earned on `fees` as the fees that a tenant was charged, gains of conversions too.
 * Versions 1 to 3 show all balances as PDF, however many there are.
 */
export const statementVersion = 4

/**
 * A month whose statement is fixed: the postings that are in it, and the digests of what was written of them. A posting is in one
 * period exactly, because a period goes on from where the last one ended, by number; what is booked later is in a later one. The
 * period of the service itself has no postings of its own: it sums up those of the tenants.
 */
export interface ClosedPeriod extends PostingRange {
  readonly period: Period
  readonly statementVersion: number
  /** SHA-256 of the statement as CSV and as PDF, lower-case hexadecimal. */
  readonly csvSha256: string
  readonly pdfSha256: string
  readonly closedAt: Timestamp
  /** The operator who closed it. */
  readonly closedBy: string
}

/** The group of all closed periods of a tenant: there is one a month. */
export const allPeriods = "all"

/** Closed periods by their months. A month is closed once. */
export const ClosedPeriod = defineRecord<ClosedPeriod>({
  name: "ClosedPeriod",
  key: ({ period }) => period,
  group: () => allPeriods,
  traits: { insertOnly: true }
})

/** The last of some closed periods; undefined where there is none. */
export const lastClosed = (all: ReadonlyArray<ClosedPeriod>): ClosedPeriod | undefined =>
  all.toSorted((left, right) => (left.period < right.period ? -1 : 1)).at(-1)
