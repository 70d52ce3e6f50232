import { Effect } from "effect"
import type { Attacked, Held } from "./AttackedService.ts"

/** Something that somebody tries. */
export interface Attack {
  readonly title: string
  /** Makes what the attack needs; what it gives is the attack, which ends with the alarm that it left. */
  readonly prepare: (attacked: Attacked) => Effect.Effect<Effect.Effect<string, unknown>, unknown>
  /** What the victim rightly pays meanwhile, in base units; nothing where absent. */
  readonly owed?: bigint
  /** What comes of it once it is over and judged, and would else come during the next one; nothing where absent. */
  readonly afterwards?: (attacked: Attacked) => Effect.Effect<void, unknown>
}

/** Somebody who attacks. */
export interface Attacker {
  readonly attacker: string
  /** Whether this attacker can write rows: then what is booked is no sign, but for what the wallets hold. */
  readonly writes: boolean
  readonly attacks: ReadonlyArray<Attack>
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

/** What moved though nobody was owed it; undefined where nothing did. */
const movedOf = (before: Held, after: Held, owed: bigint, all: boolean): string | undefined => {
  const left = { onChain: before.onChain - after.onChain, inBooks: before.inBooks - after.inBooks }
  if (left.onChain !== owed) return `${left.onChain} left the wallet on the chain`
  if (left.inBooks !== owed) return `${left.inBooks} left the wallet in the books`
  return all && owed === 0n && before.books !== after.books ? `from ${before.books} to ${after.books}` : undefined
}

/** Tries an attack. Dies unless nothing moved, on the chain and in the books, and another tenant's payout is paid afterwards, exactly once. */
export const tryAttack = Effect.fnUntraced(function* (
  attacked: Attacked,
  { attacker, writes }: Attacker,
  { afterwards, owed = 0n, prepare, title }: Attack
) {
  const { other, price, victim } = attacked
  const strike = yield* prepare(attacked)
  const [before, othersBefore] = [yield* victim.holds, yield* other.holds]
  const alarm = yield* strike
  const moved = movedOf(before, yield* victim.holds, owed, !writes)
  if (moved !== undefined) return yield* Effect.die(new Error(`money of the victim moved: ${moved}`))
  if (afterwards !== undefined) yield* afterwards(attacked)
  yield* other.payHonestly
  const theirs = movedOf(othersBefore, yield* other.holds, price.units, false)
  if (theirs !== undefined)
    return yield* Effect.die(new Error(`of another tenant, ${price.units} had to move: ${theirs}`))
  return { attacker, title, alarm } satisfies Tried
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
