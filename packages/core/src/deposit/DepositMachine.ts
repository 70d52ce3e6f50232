import type { Machine } from "../engine/Machine.ts"

/** Where a deposit stands. */
export const depositStatuses = ["DETECTED", "CONFIRMED", "REORGED"] as const

/** Where a deposit stands. */
export type DepositStatus = (typeof depositStatuses)[number]

/** What can happen to a deposit. */
export type DepositTrigger = "arrived" | "mined" | "confirmed" | "reorged"

/** What a move of a deposit does beside changing its status. */
export type DepositEffect = "credit" | "reverse"

/**
 * The life of a deposit. A move to another status raises `change_seq` and emits `deposit.<status>`; `credit` books the
 * amount to the float (where the tenant's policy credits it), `reverse` books the mirror image of that credit.
 *
 * **Details**
 *
 * On networks whose waiting transactions are read, a deposit may be DETECTED without a block. Being `mined` gives it one;
 * its status stays, so `change_seq` does not rise and no event is emitted. It is `reorged` when its block was replaced, or
 * when its transaction left the mempool without a block: in both cases the coins are not there.
 */
export const depositMachine: Machine<DepositStatus, DepositTrigger, DepositEffect> = {
  name: "deposit",
  states: depositStatuses,
  triggers: ["arrived", "mined", "confirmed", "reorged"],
  moves: [
    { from: null, trigger: "arrived", to: "DETECTED", effects: [] },
    { from: "DETECTED", trigger: "mined", to: "DETECTED", effects: [] },
    { from: "DETECTED", trigger: "confirmed", to: "CONFIRMED", effects: ["credit"] },
    { from: "DETECTED", trigger: "reorged", to: "REORGED", effects: [] },
    { from: "CONFIRMED", trigger: "reorged", to: "REORGED", effects: ["reverse"] },
    { from: "REORGED", trigger: "arrived", to: "DETECTED", effects: [] }
  ]
}
