import type { Command } from "@bursar/core/engine/Command"
import { isPut } from "@bursar/core/engine/Records"
import { Deposit } from "@bursar/core/deposit/Deposit"
import { Operation } from "@bursar/core/operation/Operation"
import { Payout } from "@bursar/core/payout/Payout"
import { Sweep } from "@bursar/core/sweep/Sweep"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import type { Exit } from "effect"

/** What a world came by. */
export interface Coverage {
  /** How often each transition was committed: `<record> <before> → <after>`. */
  readonly transitions: ReadonlyMap<string, number>
  /** How often each command was carried out. */
  readonly commands: ReadonlyMap<string, number>
  /** In which states something is now that has not come to its end. */
  readonly occupied: () => ReadonlyArray<string>
  /** A command whose changes are watched, and what to call with what became of it. */
  readonly watch: <A>(command: Command<A>) => {
    readonly command: Command<A>
    readonly ended: (exit: Exit.Exit<unknown, unknown>) => void
  }
}

interface Seen {
  readonly key: string
  readonly kind: string
  readonly state: string
  /** The transaction of a deposit that is confirmed. */
  readonly confirmed?: string
}

const seenIn = (changes: ReadonlyArray<{ readonly _tag: string }>): ReadonlyArray<Seen> =>
  changes.flatMap((change): ReadonlyArray<Seen> => {
    if (isPut(Operation, change)) {
      const { id, kind, status, unresolved } = change.record
      return [{ key: id, kind, state: unresolved ? `${status} (unresolved)` : status }]
    }
    if (isPut(Deposit, change)) {
      const { id, status, txHash } = change.record
      return [{ key: id, kind: "deposit", state: status, ...(status === "CONFIRMED" && { confirmed: txHash }) }]
    }
    if (isPut(OutboundTransaction, change)) {
      const { id, phase, purpose } = change.record
      return [{ key: id, kind: `transaction of a ${purpose}`, state: phase }]
    }
    if (isPut(Sweep, change)) return [{ key: change.record.id, kind: "sweep", state: change.record.state }]
    if (isPut(Payout, change)) {
      const { operationId, waits } = change.record
      return [{ key: `payout ${operationId}`, kind: "payout", state: waits === null ? "goes on" : "waits" }]
    }
    return []
  })

/** Adds one to what is counted under a name. */
export const count = (counts: Map<string, number>, name: string, more = 1): void =>
  void counts.set(name, (counts.get(name) ?? 0) + more)

/** The states in which nothing happens any more, or hardly anything. */
const ends: ReadonlySet<string> = new Set(["SETTLED", "FAILED", "RETURNED", "CONFIRMED", "FINAL", "SWEPT", "ABANDONED"])

/** Counts what is committed, and tells of each transaction by which a deposit comes to be confirmed. */
export const makeCoverage = (note: (what: string) => void, onConfirmed: (txHash: string) => void): Coverage => {
  const transitions = new Map<string, number>()
  const commands = new Map<string, number>()
  const states = new Map<string, string>()
  const occupied = new Map<string, number>()

  const move = (kind: string, before: string | undefined, state: string): void => {
    if (before !== undefined && !ends.has(before)) count(occupied, `${kind}: ${before}`, -1)
    if (!ends.has(state)) count(occupied, `${kind}: ${state}`)
  }

  return {
    occupied: () => [...occupied].flatMap(([state, times]) => (times > 0 ? [state] : [])),
    transitions,
    commands,
    watch: (command) => {
      let seen: ReadonlyArray<Seen> = []
      return {
        command: {
          ...command,
          decide: (view) => {
            const decided = command.decide(view)
            seen = decided._tag === "Success" ? seenIn(decided.success.changes) : []
            return decided
          }
        },
        ended: (exit) => {
          count(commands, `${command.name} ${exit._tag === "Success" ? "done" : "refused"}`)
          if (exit._tag === "Failure") return
          for (const { confirmed, key, kind, state } of seen) {
            const before = states.get(key)
            states.set(key, state)
            if (before === state) continue
            move(kind, before, state)
            if (confirmed !== undefined) onConfirmed(confirmed)
            count(transitions, `${kind}: ${before ?? "–"} → ${state}`)
            note(`${kind} ${key}: ${before ?? "–"} → ${state}`)
          }
        }
      }
    }
  }
}
