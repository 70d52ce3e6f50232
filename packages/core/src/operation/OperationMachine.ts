import type { Machine } from "../engine/Machine.ts"
import { type OperationStatus, operationStatuses } from "./Operation.ts"

/** What can happen to an operation. */
export type OperationTrigger =
  | "accepted"
  | "review_wanted"
  | "approved"
  | "rejected"
  | "funds_wanted"
  | "started"
  | "sent"
  | "settled"
  | "failed"
  | "returned"

/** What a move of an operation does to what it holds: `release` gives it back, `take` spends it, `give_back` returns what was spent. */
export type OperationEffect = "hold" | "release" | "take" | "give_back"

/**
 * The life of an operation that moves value out or in. FAILED is final, always; SETTLED can only be RETURNED (fiat), and what came
 * back in part may come back further, or settle where it had stood in suspense. That an
 * outcome is not known is a flag beside the status (`unresolved`), never a status: holds stay, and proof alone clears it.
 * Whoever carries it out is asked now and then and not told of every step, so a later status may be the first that is seen. An
 * ON_RAMP holds nothing: where the table says `release` or `take`, nothing was reserved.
 */
export const operationMachine: Machine<OperationStatus, OperationTrigger, OperationEffect> = {
  name: "operation",
  states: operationStatuses,
  triggers: [
    "accepted",
    "review_wanted",
    "approved",
    "rejected",
    "funds_wanted",
    "started",
    "sent",
    "settled",
    "failed",
    "returned"
  ],
  moves: [
    { from: null, trigger: "accepted", to: "ACCEPTED", effects: ["hold"] },
    { from: null, trigger: "review_wanted", to: "IN_REVIEW", effects: ["hold"] },
    { from: null, trigger: "funds_wanted", to: "AWAITING_FUNDS", effects: [] },
    { from: "ACCEPTED", trigger: "review_wanted", to: "IN_REVIEW", effects: [] },
    { from: "ACCEPTED", trigger: "funds_wanted", to: "AWAITING_FUNDS", effects: [] },
    { from: "ACCEPTED", trigger: "started", to: "PROCESSING", effects: [] },
    { from: "ACCEPTED", trigger: "sent", to: "SENT", effects: [] },
    { from: "ACCEPTED", trigger: "settled", to: "SETTLED", effects: ["take"] },
    { from: "ACCEPTED", trigger: "failed", to: "FAILED", effects: ["release"] },
    { from: "ACCEPTED", trigger: "returned", to: "RETURNED", effects: ["release"] },
    { from: "IN_REVIEW", trigger: "approved", to: "ACCEPTED", effects: [] },
    { from: "IN_REVIEW", trigger: "started", to: "PROCESSING", effects: [] },
    { from: "IN_REVIEW", trigger: "rejected", to: "FAILED", effects: ["release"] },
    { from: "IN_REVIEW", trigger: "sent", to: "SENT", effects: [] },
    { from: "IN_REVIEW", trigger: "settled", to: "SETTLED", effects: ["take"] },
    { from: "IN_REVIEW", trigger: "failed", to: "FAILED", effects: ["release"] },
    { from: "IN_REVIEW", trigger: "returned", to: "RETURNED", effects: ["release"] },
    { from: "AWAITING_FUNDS", trigger: "review_wanted", to: "IN_REVIEW", effects: [] },
    { from: "AWAITING_FUNDS", trigger: "started", to: "PROCESSING", effects: [] },
    { from: "AWAITING_FUNDS", trigger: "sent", to: "SENT", effects: [] },
    { from: "AWAITING_FUNDS", trigger: "settled", to: "SETTLED", effects: ["take"] },
    { from: "AWAITING_FUNDS", trigger: "failed", to: "FAILED", effects: ["release"] },
    { from: "AWAITING_FUNDS", trigger: "returned", to: "RETURNED", effects: ["release"] },
    { from: "PROCESSING", trigger: "review_wanted", to: "IN_REVIEW", effects: [] },
    { from: "PROCESSING", trigger: "sent", to: "SENT", effects: [] },
    { from: "PROCESSING", trigger: "settled", to: "SETTLED", effects: ["take"] },
    { from: "PROCESSING", trigger: "failed", to: "FAILED", effects: ["release"] },
    { from: "PROCESSING", trigger: "returned", to: "RETURNED", effects: ["release"] },
    { from: "SENT", trigger: "settled", to: "SETTLED", effects: ["take"] },
    { from: "SENT", trigger: "failed", to: "FAILED", effects: ["release"] },
    { from: "SENT", trigger: "returned", to: "RETURNED", effects: ["release"] },
    { from: "SETTLED", trigger: "returned", to: "RETURNED", effects: ["give_back"] },
    { from: "RETURNED", trigger: "settled", to: "SETTLED", effects: ["take"] },
    { from: "RETURNED", trigger: "returned", to: "RETURNED", effects: ["give_back"] }
  ]
}

/** The statuses after which an operation holds nothing and moves no more, but for a return. */
export const isOver = (status: OperationStatus): boolean =>
  status === "SETTLED" || status === "FAILED" || status === "RETURNED"
