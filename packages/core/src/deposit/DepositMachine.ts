import type { Machine } from "../engine/Machine.ts"

/** Where a deposit stands. */
export const depositStatuses = ["DETECTED", "CONFIRMED", "REORGED"] as const

/** Where a deposit stands. */
export type DepositStatus = (typeof depositStatuses)[number]

/** What can happen to a deposit. */
export type DepositTrigger = "arrived" | "confirmed" | "reorged"

/** What a move of a deposit does beside changing its status. */
export type DepositEffect = "credit" | "reverse"

/**
 * The life of a deposit. Every move raises `change_seq` and emits `deposit.<status>`; `credit` books the amount to the
 * float (where the tenant's policy credits it), `reverse` books the mirror image of that credit.
 */
export const depositMachine: Machine<DepositStatus, DepositTrigger, DepositEffect> = {
  name: "deposit",
  states: depositStatuses,
  triggers: ["arrived", "confirmed", "reorged"],
  moves: [
    { from: null, trigger: "arrived", to: "DETECTED", effects: [] },
    { from: "DETECTED", trigger: "confirmed", to: "CONFIRMED", effects: ["credit"] },
    { from: "DETECTED", trigger: "reorged", to: "REORGED", effects: [] },
    { from: "CONFIRMED", trigger: "reorged", to: "REORGED", effects: ["reverse"] },
    { from: "REORGED", trigger: "arrived", to: "DETECTED", effects: [] }
  ]
}
