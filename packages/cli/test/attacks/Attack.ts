import { Effect } from "effect"
import type { Attacked } from "./AttackedService.ts"

/** Something that somebody tries. */
export interface Attack {
  readonly title: string
  /** Makes what the attack needs; what it gives is the attack, which ends with the line of the log that is its alarm. */
  readonly prepare: (attacked: Attacked) => Effect.Effect<Effect.Effect<string, unknown>, unknown>
}

/** How an attack ended. */
export interface Tried {
  readonly attacker: string
  readonly title: string
  readonly alarm: string
}

/** Dies where some of these addresses have anything. */
export const stole = Effect.fnUntraced(function* (
  { faucet, holdsDollars }: Pick<Attacked, "faucet" | "holdsDollars">,
  addresses: ReadonlyArray<`0x${string}`>
) {
  for (const address of addresses) {
    const all = [yield* holdsDollars(address), yield* faucet.balance(address)]
    if (all.some((units) => units > 0n)) return yield* Effect.die(new Error(`${address} was paid ${all.join(" and ")}`))
  }
  return undefined
})

const eventOf = (line: string): string => {
  const { annotations = {}, message } = JSON.parse(line)
  return `${message}: ${annotations.reason ?? annotations.detail ?? ""}`.replace(/: $/u, "")
}

/**
 * Tries an attack. Dies unless nothing moved, on the chain and in the books, and another tenant's payout is paid afterwards.
 */
export const tryAttack = Effect.fnUntraced(function* (
  attacked: Attacked,
  attacker: string,
  { prepare, title }: Attack
) {
  const { other, victim } = attacked
  const strike = yield* prepare(attacked)
  const before = yield* Effect.all([victim.holds, other.holds])
  const line = yield* strike
  const after = yield* Effect.all([victim.holds, other.holds])
  const show = (all: typeof before) => all.map(({ inBooks, onChain }) => `${onChain} / ${inBooks}`).join(", ")
  if (show(before) !== show(after))
    return yield* Effect.die(new Error(`money moved: from ${show(before)} to ${show(after)}`))
  yield* other.payHonestly
  return { attacker, title, alarm: eventOf(line) } satisfies Tried
})

const cut = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length - 1)}…` : text)

/** What was tried, and which alarm it left, as a table. */
export const tableOf = (tried: ReadonlyArray<Tried>): string => {
  const rows = tried.map(({ alarm, attacker, title }) => [attacker, title, cut(alarm, 100)])
  const all = [["who", "what they tried", "the alarm that it left"], ...rows]
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  const lines = all.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`)
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`
  const end = `${tried.length} attacks. After each, nothing had moved on the chain or in the books, and another tenant was paid for.`
  return `\n${[lines[0], rule, ...lines.slice(1)].join("\n")}\n\n${end}\n`
}
