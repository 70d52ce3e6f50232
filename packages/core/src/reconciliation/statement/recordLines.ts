import { Result } from "effect"
import type { Timestamp } from "../../base/Timestamp.ts"
import { Refusal } from "../../base/Refusal.ts"
import type { Command } from "../../engine/Command.ts"
import { putRecord, readRecord } from "../../engine/Records.ts"
import type { View } from "../../engine/View.ts"
import { covers, interfaceStatement, isWhole, Statement, type StatementHeader, statementKey } from "./Statement.ts"
import { type AboutOperation, isSameLine, isTold, lineKey, StatementLine } from "./StatementLine.ts"
import type { ToldLine } from "../../port/ProviderStatement.ts"

/** So many lines come in one part at most. */
export const partLinesMax = 1_000

/** A line with the operation that it names, where it names one. */
export interface NamedLine extends ToldLine {
  readonly about: AboutOperation | null
  /** How versions before called it that took its id for the place's though it is its statement's alone. */
  readonly formerId?: string
  /** The entry that it is a part of: another statement may tell that as one line. */
  readonly entry?: Pick<ToldLine, "id" | "currency" | "units">
  /** Lines that are there already and called as parts of it: another statement may have told it in these. */
  readonly partIds?: ReadonlyArray<string>
}

/** What has become of the lines of a part. */
export interface LinesRecorded {
  readonly added: number
  /** Those that were there already. */
  readonly known: number
  /** Those that were there with another amount, currency or day. */
  readonly changed: ReadonlyArray<string>
}

const readLines = (place: string, lines: ReadonlyArray<NamedLine>) =>
  [
    ...new Set(
      lines.flatMap(({ entry, formerId, id, partIds = [] }) => [
        id,
        ...(formerId === undefined ? [] : [formerId]),
        ...(entry === undefined ? [] : [entry.id]),
        ...partIds
      ])
    )
  ].map((id) => readRecord(StatementLine, lineKey(place, id)))

/** The line as it is there already. By its former id it is only where this statement brought that. */
const knownLine = (view: View, place: string, statement: string, { formerId, id }: NamedLine) => {
  const found = view.get(StatementLine, lineKey(place, id))
  if (found !== undefined || formerId === undefined) return found
  const former = view.get(StatementLine, lineKey(place, formerId))
  return former !== undefined && isTold(former, new Set([statement])) ? former : undefined
}

/** The lines as which another statement told the same money: the entry of which it is a part as one line, or the parts of the entry that it is. */
const toldOtherwise = (view: View, place: string, line: NamedLine): ReadonlyArray<StatementLine> => {
  const { entry, partIds = [] } = line
  const whole = entry === undefined ? undefined : view.get(StatementLine, lineKey(place, entry.id))
  if (whole !== undefined && isSameLine(whole, { ...line, ...entry })) return [whole]
  const parts = partIds.flatMap((id) => view.get(StatementLine, lineKey(place, id)) ?? [])
  const isOfDay = parts.every((part) => isSameLine(part, { ...line, units: part.units }))
  return isOfDay && parts.reduce((sum, { units }) => sum + units, 0n) === line.units ? parts : []
}

/** Sorts lines by whether they are there already. */
const sorted = (view: View, place: string, statement: string, lines: ReadonlyArray<NamedLine>) => {
  const found = lines.map((line) => {
    const own = knownLine(view, place, statement, line)
    if (own !== undefined) return { line, before: [own], isChanged: !isSameLine(own, line) }
    return { line, before: toldOtherwise(view, place, line), isChanged: false }
  })
  const changed = found.flatMap(({ isChanged, line }) => (isChanged ? [line.id] : []))
  const fresh = found.flatMap(
    ({
      before,
      line: { entry: _entry, formerId: _formerId, partIds: _partIds, ...line }
    }): ReadonlyArray<StatementLine> => (before.length === 0 ? [{ ...line, place, statement, alsoIn: [] }] : [])
  )
  // the one that brought it first may never be whole
  const again = found.flatMap(({ before, isChanged }): ReadonlyArray<StatementLine> =>
    isChanged ? [] : before.filter((one) => !isTold(one, new Set([statement])))
  )
  // the parts of an entry that is there as one line are there once
  const told = new Map(again.map((one) => [one.id, { ...one, alsoIn: [...one.alsoIn, statement] }]))
  return {
    puts: [...fresh, ...told.values()].map((line) => putRecord(StatementLine, line)),
    told: { added: fresh.length, known: lines.length - fresh.length - changed.length, changed }
  }
}

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
 * statement or a part that was imported with other lines or of other currencies, and a line that is known with another amount, currency or day; and the name of
 * what a provider's interface tells (`invalid_request`).
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
    const { puts, told } = sorted(view, place, id, part.lines)
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
    const { puts, told } = sorted(view, place, interfaceStatement, lines)
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
