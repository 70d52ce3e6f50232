import type { TransferOrder, TransferState } from "@bursar/core/port/FiatProvider"
import { Schema } from "effect"

/**
 * What becomes of a transfer: it arrives (`settle`), never leaves (`fail`), comes back after it had arrived (`return`), the
 * first two without the order's answer ever arriving (`timeout_then_…`), is heard of no more (`never`), waits for somebody
 * to look at it (`in_review`), or is not taken at all (`refuse`).
 */
export const TransferOutcome = Schema.Literals([
  "settle",
  "fail",
  "return",
  "timeout_then_settle",
  "timeout_then_fail",
  "never",
  "in_review",
  "refuse"
])

/** What becomes of a transfer. */
export type TransferOutcome = typeof TransferOutcome.Type

type Status = TransferState["status"]

const settling: ReadonlyArray<Status> = ["PROCESSING", "SENT", "SETTLED"]
const failing: ReadonlyArray<Status> = ["PROCESSING", "FAILED"]

/** The statuses that a transfer goes through, a step after the other. Of `never` and `refuse` nothing is ever seen. */
export const courses: Readonly<Record<TransferOutcome, ReadonlyArray<Status>>> = {
  settle: settling,
  timeout_then_settle: settling,
  fail: failing,
  timeout_then_fail: failing,
  return: [...settling, "RETURNED"],
  in_review: ["IN_REVIEW"],
  never: [],
  refuse: []
}

/** The course of a transfer; what is to come in waits for its money first. */
export const courseOf = (kind: TransferOrder["kind"], outcome: TransferOutcome): ReadonlyArray<Status> =>
  kind === "ON_RAMP" && courses[outcome].length > 0 ? ["AWAITING_FUNDS", ...courses[outcome]] : courses[outcome]

/** Whether the order's answer is lost. */
export const isLost = (outcome: TransferOutcome): boolean => outcome.startsWith("timeout_") || outcome === "never"
