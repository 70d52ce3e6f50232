import type { Machine } from "../engine/Machine.ts"

/** How far a spend has come. */
export const spendPhases = ["RESERVED", "SIGNED", "BROADCAST", "INCLUDED", "FINAL"] as const

/** How far a spend has come. */
export type SpendPhase = (typeof spendPhases)[number]

/** What can happen to a spend. */
export type SpendTrigger = "reserved" | "signed" | "replaced" | "sent" | "included" | "lost" | "concluded" | "released"

/**
 * The life of a spend. Once SIGNED its bytes may be anywhere, so it ends by what the chain proves alone (`concluded`); only what
 * was never signed can be `released`.
 */
export const spendMachine: Machine<SpendPhase, SpendTrigger> = {
  name: "spend",
  states: spendPhases,
  triggers: ["reserved", "signed", "replaced", "sent", "included", "lost", "concluded", "released"],
  moves: [
    { from: null, trigger: "reserved", to: "RESERVED", effects: [] },
    { from: "RESERVED", trigger: "signed", to: "SIGNED", effects: [] },
    { from: "RESERVED", trigger: "released", to: "FINAL", effects: [] },
    { from: "SIGNED", trigger: "replaced", to: "SIGNED", effects: [] },
    { from: "SIGNED", trigger: "sent", to: "BROADCAST", effects: [] },
    { from: "SIGNED", trigger: "included", to: "INCLUDED", effects: [] },
    { from: "SIGNED", trigger: "concluded", to: "FINAL", effects: [] },
    { from: "BROADCAST", trigger: "replaced", to: "SIGNED", effects: [] },
    { from: "BROADCAST", trigger: "sent", to: "BROADCAST", effects: [] },
    { from: "BROADCAST", trigger: "included", to: "INCLUDED", effects: [] },
    { from: "BROADCAST", trigger: "concluded", to: "FINAL", effects: [] },
    { from: "INCLUDED", trigger: "sent", to: "INCLUDED", effects: [] },
    { from: "INCLUDED", trigger: "included", to: "INCLUDED", effects: [] },
    { from: "INCLUDED", trigger: "lost", to: "BROADCAST", effects: [] },
    { from: "INCLUDED", trigger: "concluded", to: "FINAL", effects: [] }
  ]
}

/** Whether a spend in this phase still takes from its account what the chain does not show yet. */
export const isPending = (phase: SpendPhase): boolean =>
  phase === "RESERVED" || phase === "SIGNED" || phase === "BROADCAST"
