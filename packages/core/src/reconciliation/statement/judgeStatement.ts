import type { Timestamp } from "../../base/Timestamp.ts"
import type { BreakSubject, Candidate } from "../ReconciliationBreak.ts"
import type { Compared } from "./Statements.ts"
import type { StatementLine } from "./StatementLine.ts"

/** What a statement shows of an operation or a line: how much the books say more than it does, nothing where they agree. */
export interface StatementVerdict {
  readonly about: BreakSubject
  readonly units: bigint
  readonly since: Timestamp
  readonly candidates: ReadonlyArray<Candidate>
}

/**
 * What a statement shows of an operation that is over: its lines and its bookings come to the same. Undefined where nothing can be said:
 * it is not over, or it began before the first statement, which may have had its lines. What lines have `said` that nothing else explains is
 * beside that: it never makes up the time before the first statement.
 */
export const judgeOperation = (
  { booked, bookedSince, correctedSince, createdAt, isOver, operationId, shown, tenantId }: Compared,
  toldFrom: Timestamp,
  said = 0n
): StatementVerdict | undefined => {
  if (!isOver) return undefined
  const about = { kind: "operation", id: operationId, tenantId } as const
  // what was booked before the first statement can be in no line; a later one says nothing of what it does not show. A correction is no part of that:
  // naming an old operation would hide it
  const agrees = shown === booked || (createdAt < toldFrom && (shown === bookedSince || shown === correctedSince))
  const units = (agrees ? 0n : booked - shown) - said
  const reason = `It was booked with ${booked} base units here, and its lines in the statement come to ${shown + said}.`
  return {
    about,
    units,
    since: createdAt,
    candidates: units === 0n ? [] : [{ kind: "operation", id: operationId, tenantId, at: createdAt, reason }]
  }
}

/** What a line shows that is about nothing that is known: the place has more, or less, than the books say. */
export const judgeLine = (
  { about, at, id, units }: Pick<StatementLine, "about" | "at" | "id" | "units">,
  factor: bigint,
  candidates: ReadonlyArray<Candidate>
): StatementVerdict => ({
  about: { kind: "statement_line", id },
  units: about === null ? -units * factor : 0n,
  since: at,
  candidates
})
