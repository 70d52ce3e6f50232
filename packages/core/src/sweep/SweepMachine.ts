import type { Machine } from "../engine/Machine.ts"

/** How far the sweep of an address has come. */
export const sweepStates = [
  "ELIGIBLE",
  "TOPUP_SIGNED",
  "TOPUP_CONFIRMED",
  "SWEEP_SIGNED",
  "SWEPT",
  "ABANDONED"
] as const

/** How far the sweep of an address has come. */
export type SweepState = (typeof sweepStates)[number]

/** What can happen to a sweep. */
export type SweepTrigger = "opened" | "topup_signed" | "balance_read" | "sweep_signed" | "swept" | "abandoned"

/**
 * The life of a sweep.
 *
 * **Details**
 *
 * An address that has coin for the network fee goes from ELIGIBLE to SWEEP_SIGNED; one that has none is given some first. That
 * it has arrived is known by reading the balance at that address after the top-up is final (`balance_read`), never by a timer.
 * From SWEEP_SIGNED on the bytes may be anywhere: it ends by what the chain proves of them, or because a deposit of it is lost. One that
 * was given up for a lost deposit is SWEPT after all if its bytes take effect once the deposit is there again.
 */
export const sweepMachine: Machine<SweepState, SweepTrigger> = {
  name: "sweep",
  states: sweepStates,
  triggers: ["opened", "topup_signed", "balance_read", "sweep_signed", "swept", "abandoned"],
  moves: [
    { from: null, trigger: "opened", to: "ELIGIBLE", effects: [] },
    { from: "ELIGIBLE", trigger: "topup_signed", to: "TOPUP_SIGNED", effects: [] },
    { from: "ELIGIBLE", trigger: "sweep_signed", to: "SWEEP_SIGNED", effects: [] },
    { from: "ELIGIBLE", trigger: "abandoned", to: "ABANDONED", effects: [] },
    { from: "TOPUP_SIGNED", trigger: "balance_read", to: "TOPUP_CONFIRMED", effects: [] },
    { from: "TOPUP_SIGNED", trigger: "abandoned", to: "ABANDONED", effects: [] },
    { from: "TOPUP_CONFIRMED", trigger: "sweep_signed", to: "SWEEP_SIGNED", effects: [] },
    { from: "TOPUP_CONFIRMED", trigger: "abandoned", to: "ABANDONED", effects: [] },
    { from: "SWEEP_SIGNED", trigger: "swept", to: "SWEPT", effects: [] },
    { from: "SWEEP_SIGNED", trigger: "abandoned", to: "ABANDONED", effects: [] },
    { from: "ABANDONED", trigger: "swept", to: "SWEPT", effects: [] }
  ]
}

/** Whether a sweep is over, for better or worse. */
export const isSweepOver = (state: SweepState): boolean => state === "SWEPT" || state === "ABANDONED"
