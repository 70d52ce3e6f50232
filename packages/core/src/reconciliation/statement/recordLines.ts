import { Result } from "effect"
import type { Timestamp } from "../../base/Timestamp.ts"
import { Refusal } from "../../base/Refusal.ts"
import type { Command } from "../../engine/Command.ts"
import { putRecord, readRecord } from "../../engine/Records.ts"
import { type LinesRecorded, type NamedLine, readLines, sortLines } from "./sortLines.ts"
import { covers, interfaceStatement, isWhole, Statement, type StatementHeader, statementKey } from "./Statement.ts"
import { type AboutOperation, lineKey, StatementLine } from "./StatementLine.ts"

/** So many lines come in one part at most. */
export const partLinesMax = 1_000

const conflict = (message: string) => Result.fail(new Refusal({ code: "state_conflict", message }))

const isSameHeader = (one: StatementHeader, other: StatementHeader): boolean =>
  one.digest === other.digest &&
  one.parts === other.parts &&
  one.from === other.from &&
  one.to === other.to &&
  covers(one, other) &&
  covers(other, one)

/** What has become of a part of a statement that was imported. */
export interface PartRecorded extends LinesRecorded {
  readonly statement: Statement
}

/**
 * Keeps a part of an imported statement, for the fleet. A part that was kept already changes nothing. Refused (`state_conflict`): a
 * statement or a part that was imported with other lines or of other currencies, and a line that is known with another amount, currency or day, or that another
 * statement tells by its parts that is not whole; and the name of what a provider's interface tells (`invalid_request`).
 */
export const recordPart = (
  header: StatementHeader,
  part: { readonly index: number; readonly lines: ReadonlyArray<NamedLine> },
  by: string
): Command<PartRecorded> => ({
  name: "RecordStatementPart",
  reads: [readRecord(Statement, statementKey(header.place, header.id)), ...readLines(header.place, part.lines)],
  decide: (view) => {
    const { id, place } = header
    if (id === interfaceStatement)
      return Result.fail(
        new Refusal({ code: "invalid_request", message: `No statement that is imported is called ${id}.` })
      )
    const before = view.get(Statement, statementKey(place, id))
    if (before !== undefined && !isSameHeader(before, header))
      return conflict(
        `Statement ${id} of ${place} was imported before, with other lines, or of another period or currencies.`
      )
    const { puts, told, waiting } = sortLines(view, place, id, part.lines)
    const [first] = waiting
    if (first !== undefined)
      return conflict(
        `Line ${first.id} of ${place} is told in parts by statement ${first.statement}, which is not whole yet. Finish the import of that statement first.`
      )
    const [changed] = told.changed
    if (changed !== undefined)
      return conflict(`Line ${changed} of ${place} is known with another amount, currency or day.`)
    const isKept = before?.received.includes(part.index) === true
    // whoever sends it says its digest: what was kept is what counts
    if (isKept && told.added > 0)
      return conflict(`Part ${part.index} of statement ${id} of ${place} was imported before, with other lines.`)
    if (isKept) return Result.succeed({ changes: [], reply: { ...told, statement: before } })
    const known = before ?? { ...header, received: [], checkedTo: header.from, by, at: view.now }
    const statement: Statement = { ...known, received: [...known.received, part.index] }
    return Result.succeed({
      changes: [...puts, putRecord(Statement, statement)],
      reply: { ...told, statement }
    })
  }
})

/**
 * Keeps what a provider's interface has told up to a moment, for the fleet. A line that it tells otherwise than before stays as it was: the
 * reply names it.
 */
export const recordTold = (
  place: string,
  { from, lines, to }: { readonly from: Timestamp; readonly to: Timestamp; readonly lines: ReadonlyArray<NamedLine> }
): Command<LinesRecorded> => ({
  name: "RecordToldLines",
  reads: [readRecord(Statement, statementKey(place, interfaceStatement)), ...readLines(place, lines)],
  decide: (view) => {
    const { puts, told } = sortLines(view, place, interfaceStatement, lines)
    const first: Statement = {
      place,
      id: interfaceStatement,
      currencies: null,
      from,
      to,
      parts: 1,
      digest: "",
      received: [0],
      checkedTo: from,
      by: interfaceStatement,
      at: view.now
    }
    const before = view.get(Statement, statementKey(place, interfaceStatement)) ?? first
    const statement: Statement = { ...before, to: Math.max(before.to, to), at: view.now }
    return Result.succeed({ changes: [...puts, putRecord(Statement, statement)], reply: told })
  }
})

/** Notes up to when the books were compared with a statement. Refused (`not_found`) where there is none. */
export const noteChecked = (place: string, id: string, checkedTo: Timestamp): Command<Statement> => ({
  name: "NoteStatementChecked",
  reads: [readRecord(Statement, statementKey(place, id))],
  decide: (view) => {
    const found = view.get(Statement, statementKey(place, id))
    if (found === undefined || !isWhole(found))
      return Result.fail(new Refusal({ code: "not_found", message: "There is no such statement." }))
    const checked = { ...found, checkedTo: Math.max(found.checkedTo, checkedTo) }
    return Result.succeed({ changes: [putRecord(Statement, checked)], reply: checked })
  }
})

/** Notes which operations lines are about, for the fleet. A line about which that is known keeps what it has. */
export const assignLines = (
  place: string,
  assigned: ReadonlyArray<{ readonly lineId: string; readonly about: AboutOperation }>
): Command<number> => ({
  name: "AssignStatementLines",
  reads: assigned.map(({ lineId }) => readRecord(StatementLine, lineKey(place, lineId))),
  decide: (view) => {
    const puts = assigned.flatMap(({ about, lineId }) => {
      const line = view.get(StatementLine, lineKey(place, lineId))
      return line === undefined || line.about !== null ? [] : [putRecord(StatementLine, { ...line, about })]
    })
    return Result.succeed({ changes: puts, reply: puts.length })
  }
})
