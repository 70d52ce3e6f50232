import type { Machine } from "../engine/Machine.ts"

/** How far an outbound transaction has come. */
export const transactionPhases = ["RESERVED", "SIGNED", "BROADCAST", "INCLUDED", "FINAL"] as const

/** How far an outbound transaction has come. */
export type TransactionPhase = (typeof transactionPhases)[number]

/** What can happen to an outbound transaction. */
export type TransactionTrigger =
  | "reserved"
  | "signed"
  | "feeBumped"
  | "sent"
  | "included"
  | "lost"
  | "concluded"
  | "released"

/**
 * The life of an outbound transaction. Once SIGNED its bytes may be anywhere, so it ends by what the chain proves alone (`concluded`); only what
 * was never signed can be `released`.
 */
export const transactionMachine: Machine<TransactionPhase, TransactionTrigger> = {
  name: "transaction",
  states: transactionPhases,
  triggers: ["reserved", "signed", "feeBumped", "sent", "included", "lost", "concluded", "released"],
  moves: [
    { from: null, trigger: "reserved", to: "RESERVED", effects: [] },
    { from: "RESERVED", trigger: "signed", to: "SIGNED", effects: [] },
    { from: "RESERVED", trigger: "released", to: "FINAL", effects: [] },
    { from: "SIGNED", trigger: "feeBumped", to: "SIGNED", effects: [] },
    { from: "SIGNED", trigger: "sent", to: "BROADCAST", effects: [] },
    { from: "SIGNED", trigger: "included", to: "INCLUDED", effects: [] },
    { from: "SIGNED", trigger: "concluded", to: "FINAL", effects: [] },
    { from: "BROADCAST", trigger: "feeBumped", to: "SIGNED", effects: [] },
    { from: "BROADCAST", trigger: "sent", to: "BROADCAST", effects: [] },
    { from: "BROADCAST", trigger: "included", to: "INCLUDED", effects: [] },
    { from: "BROADCAST", trigger: "concluded", to: "FINAL", effects: [] },
    { from: "INCLUDED", trigger: "sent", to: "INCLUDED", effects: [] },
    { from: "INCLUDED", trigger: "included", to: "INCLUDED", effects: [] },
    { from: "INCLUDED", trigger: "lost", to: "BROADCAST", effects: [] },
    { from: "INCLUDED", trigger: "concluded", to: "FINAL", effects: [] }
  ]
}

/** Whether an outbound transaction in this phase still takes from its account what the chain does not show yet. */
export const isPending = (phase: TransactionPhase): boolean =>
  phase === "RESERVED" || phase === "SIGNED" || phase === "BROADCAST"
