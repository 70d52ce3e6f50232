import { isOver } from "@bursar/core/operation/OperationMachine"
import { exactly, plus, type Range } from "@bursar/core/reconciliation/Movement"
import { providerPlace } from "@bursar/core/reconciliation/Place"
import { Positions } from "@bursar/core/reconciliation/Positions"
import { providerMovements } from "@bursar/core/reconciliation/providerMovements"
import type { StatementLine } from "@bursar/core/reconciliation/statement/StatementLine"
import type { Compared } from "@bursar/core/reconciliation/statement/Statements"
import { Clock, Effect } from "effect"
import type { Comparing } from "./assignUnknown.ts"

/** One that was under way when it was compared may have ended before it is read here: never so long ago. */
const endedWithinMs = 600_000

/** What of some orders is in flight. */
interface InFlight {
  /** What each makes the books say more than the place shows, by its id, in base units of the holding. */
  readonly ranges: ReadonlyMap<string, Range>
  /** Those that have ended meanwhile. */
  readonly ended: ReadonlySet<string>
}

const inFlight = Effect.fnUntraced(function* ({ books, networkFeeBorneBy, pool }: Comparing, ids: ReadonlySet<string>) {
  const { account, environment, provider } = books
  const now = yield* Clock.currentTimeMillis
  const positions = yield* Positions
  const { operations } = yield* positions.provider({ account, environment, provider, since: now - endedWithinMs })
  const named = operations.filter(({ id }) => ids.has(id))
  const ranges = new Map<string, Range>()
  const underWay = named.filter(({ status }) => !isOver(status))
  const place = providerPlace(account, provider)
  const movements = providerMovements(place, underWay, { asked: now, networkFeeBorneBy })
  for (const { cause, currency, inFlight: moved } of movements) {
    const factor = pool.factors.get(currency) ?? 0n
    const more = { least: moved.least * factor, most: moved.most * factor }
    ranges.set(cause.id, plus(ranges.get(cause.id) ?? exactly(0n), more))
  }
  const ended = new Set(named.flatMap(({ id, status }) => (isOver(status) ? [id] : [])))
  return { ranges, ended } satisfies InFlight
})

/**
 * The lines, the oldest first, that keep within a range what an order makes the books say more than the place shows. A bank gives all lines of
 * a day one time, and they are in no order: of these each is taken that fits once others are.
 */
const explained = (
  lines: ReadonlyArray<StatementLine>,
  start: bigint,
  { least, most }: Range,
  factors: Comparing["pool"]["factors"]
): ReadonlyArray<StatementLine> => {
  const taken: Array<StatementLine> = []
  let more = start
  const fits = (line: StatementLine) => {
    const then = more - line.units * (factors.get(line.currency) ?? 0n)
    if (then < least || then > most) return false
    more = then
    taken.push(line)
    return true
  }
  for (const some of Map.groupBy(lines, ({ at }) => at).values())
    for (let left = some, before = Infinity; left.length < before;) {
      before = left.length
      left = left.filter((line) => !fits(line))
    }
  return taken
}

/**
 * Which of the lines that say an order count as lines of it. Where it is over, all do: it is a break where they do not come to what it booked.
 * Before, nothing can be said of it, so only lines count that it explains while it is in flight, the oldest first: a line of another
 * direction, or of more than the order moves, would be hidden by it.
 */
export const countedFor = Effect.fn("reconcile.countedFor")(function* (
  comparing: Comparing,
  said: ReadonlyMap<string, ReadonlyArray<StatementLine>>,
  operations: ReadonlyMap<string, Compared>
) {
  const { factors } = comparing.pool
  const underWay = new Set([...said.keys()].filter((id) => operations.get(id)?.isOver === false))
  const none: InFlight = { ranges: new Map(), ended: new Set() }
  const { ended, ranges } = underWay.size === 0 ? none : yield* inFlight(comparing, underWay)
  const counted = [...said].map(([id, lines]) => {
    const operation = operations.get(id)
    if (operation === undefined) return [id, []] as const
    if (operation.isOver || ended.has(id)) return [id, lines] as const
    const range = ranges.get(id) ?? exactly(0n)
    return [id, explained(lines, operation.booked - operation.shown, range, factors)] as const
  })
  return new Map<string, ReadonlyArray<StatementLine>>(counted)
})
