import type { Timestamp } from "../../base/Timestamp.ts"
import type { Compared } from "./Statements.ts"
import type { AboutOperation } from "./StatementLine.ts"

/** A line of which nobody knows what it is about, with the operations that it says. */
export interface ClaimingLine {
  readonly id: string
  /** In base units of the holding. */
  readonly units: bigint
  readonly claims: ReadonlyArray<AboutOperation>
}

/** What has become of what lines say of themselves. */
export interface Believed {
  readonly assigned: ReadonlyArray<{ readonly lineId: string; readonly about: AboutOperation }>
  /** The operations of lines, by their ids, that are believed once these are due, if nothing else takes them before. */
  readonly expected: ReadonlyMap<string, AboutOperation>
}

/** What an operation has booked in a direction and no line shows. */
const lacking = ({ booked, bookedIn, shown, shownIn }: Compared, comes: boolean): bigint =>
  comes ? bookedIn - shownIn : booked - bookedIn - (shown - shownIn)

const keyOf = (operationId: string, comes: boolean): string => `${operationId}|${comes}`

/** The lines that say an operation, by it and their direction: a statement has a hundred thousand lines, and each names its own. */
const byClaim = (lines: ReadonlyArray<ClaimingLine>): ReadonlyMap<string, ReadonlyArray<ClaimingLine>> => {
  const found = new Map<string, Array<ClaimingLine>>()
  for (const line of lines) {
    const comes = line.units > 0n
    for (const operationId of new Set(line.claims.map((one) => one.operationId))) {
      const key = keyOf(operationId, comes)
      const some = found.get(key)
      if (some === undefined) found.set(key, [line])
      else some.push(line)
    }
  }
  return found
}

/**
 * Which lines are taken for what they say: a line that is just what an operation has booked in its direction and lacks, or all lines together
 * that say the same operation, where they are.
 *
 * **Details**
 *
 * Whoever pays chooses what a line says. So a line never adds to an operation that lacks nothing, nor makes up for what was not booked. An operation is
 * believed of only once it is due, so that its own line is there: another one in its place then leaves that one for whatever it was taken
 * from. One that began before the first statement may have had its line before: it lacks nothing.
 */
export const believedClaims = (
  lines: ReadonlyArray<ClaimingLine>,
  operations: ReadonlyArray<Compared>,
  { dueBefore, toldFrom }: { readonly dueBefore: Timestamp; readonly toldFrom: Timestamp }
): Believed => {
  const taken = new Map<string, AboutOperation>()
  const expected = new Map<string, AboutOperation>()
  const lacks = operations
    .filter(({ createdAt }) => createdAt >= toldFrom)
    .flatMap((one) => [true, false].map((comes) => ({ one, comes, units: lacking(one, comes) })))
    .filter(({ units }) => units !== 0n)
  const claiming = byClaim(lines)
  const saying = ({ comes, one }: (typeof lacks)[number]) =>
    (claiming.get(keyOf(one.operationId, comes)) ?? []).filter(({ id }) => !taken.has(id))
  const believe = ({ one }: (typeof lacks)[number], some: ReadonlyArray<ClaimingLine>) => {
    const isDue = one.bookedAt !== null && one.bookedAt < dueBefore
    const about = { operationId: one.operationId, tenantId: one.tenantId }
    for (const { id } of some) (isDue ? taken : expected).set(id, about)
  }
  const others = lacks.filter((lack) => {
    const line = saying(lack).find(({ units }) => units === lack.units)
    if (line !== undefined) believe(lack, [line])
    return line === undefined
  })
  for (const lack of others) {
    const all = saying(lack)
    if (all.reduce((sum, { units }) => sum + units, 0n) === lack.units) believe(lack, all)
  }
  return {
    assigned: [...taken].map(([lineId, about]) => ({ lineId, about })),
    expected: new Map([...expected].filter(([id]) => !taken.has(id)))
  }
}
