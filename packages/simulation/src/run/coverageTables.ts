import { depositMachine } from "@bursar/core/deposit/DepositMachine"
import { operationMachine } from "@bursar/core/operation/OperationMachine"
import { sweepMachine } from "@bursar/core/sweep/SweepMachine"
import { transactionMachine } from "@bursar/core/transaction/TransactionMachine"
import { faultKinds } from "../outside/Faults.ts"
import { askedKinds } from "../world/Records.ts"
import type { Tally } from "./Report.ts"

interface Moved {
  readonly name: string
  readonly states: ReadonlyArray<string>
  readonly moves: ReadonlyArray<{ readonly from: string | null; readonly to: string }>
}

/** By which table each kind of record moves, by the beginning of its name. */
const machines: ReadonlyArray<readonly [what: string, isOf: (kind: string) => boolean, Moved]> = [
  ["operation", (kind) => askedKinds.some((asked) => asked === kind), operationMachine],
  ["transaction", (kind) => kind.startsWith("transaction of a "), transactionMachine],
  ["sweep", (kind) => kind === "sweep", sweepMachine],
  ["deposit", (kind) => kind === "deposit", depositMachine]
]

const readTransition = (name: string) => {
  const [kind = "", move = ""] = name.split(": ")
  const [from = "", to = ""] = move.split(" → ").map((state) => state.replace(" (unresolved)", ""))
  return { kind, from, to }
}

/** Rows as Markdown, each column as wide as its widest cell. */
export const markdownTable = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const [head = [], ...body] = rows
  const widths = head.map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: ReadonlyArray<string>) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)]
}

const sum = (counts: Iterable<number>): number => [...counts].reduce((all, one) => all + one, 0)

/** For each kind of record: which of its states and moves were seen, and how often it moved. */
const movesTable = ({ transitions }: Tally): ReadonlyArray<string> => {
  const seen = [...transitions].map(([name, times]) => ({ ...readTransition(name), times }))
  const rows = machines.map(([what, isOf, machine]) => {
    const own = seen.filter(({ kind }) => isOf(kind))
    const states = new Set(own.map(({ to }) => to))
    const possible = new Set(
      machine.moves.filter(({ from, to }) => from !== to).map(({ from, to }) => `${from ?? "–"} → ${to}`)
    )
    const moves = new Set(own.map(({ from, to }) => `${from} → ${to}`))
    const missing = [...possible].filter((move) => !moves.has(move))
    return [
      what,
      `${machine.states.filter((state) => states.has(state)).length} of ${machine.states.length}`,
      `${possible.size - missing.length} of ${possible.size}`,
      String(sum(own.map(({ times }) => times))),
      missing.length === 0 ? "none" : missing.join(", ")
    ]
  })
  return markdownTable([["record", "states", "moves", "times", "moves never seen"], ...rows])
}

/** For each fault: how often it struck, at how many places, and during how many states of what was open then. */
const faultsTable = ({ during, faults, places }: Tally): ReadonlyArray<string> => {
  const states = new Set([...during.keys()].map((pair) => pair.slice(pair.indexOf(" ") + 1)))
  const ofKind = (counts: ReadonlyMap<string, number>, kind: string): number =>
    [...counts.keys()].filter((name) => name.startsWith(`${kind} `)).length
  const rows = faultKinds.map((kind) => [
    `\`${kind}\``,
    String(faults.get(kind) ?? 0),
    String(ofKind(places, kind)),
    `${ofKind(during, kind)} of ${states.size}`
  ])
  return markdownTable([["fault", "times", "places", "states of what was open"], ...rows])
}

/** What was exercised, as the manual shows it. */
export const coverageTables = (tally: Tally): ReadonlyArray<string> => [...movesTable(tally), "", ...faultsTable(tally)]
