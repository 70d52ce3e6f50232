import { putRecord, readGroup, readRecord } from "../../engine/Records.ts"
import type { View } from "../../engine/View.ts"
import type { ToldLine } from "../../port/ProviderStatement.ts"
import { SplitEntry } from "./SplitEntry.ts"
import { isWhole, Statement, wholeOf } from "./Statement.ts"
import {
  type AboutOperation,
  earlierAmongSame,
  isSameLine,
  isTold,
  laterAmongSame,
  lineKey,
  StatementLine
} from "./StatementLine.ts"

/** A line with the operation that it names, where it names one. */
export interface NamedLine extends ToldLine {
  readonly about: AboutOperation | null
  /** How versions before called it that took its id for the place's though it is its statement's alone. */
  readonly formerId?: string
  /** The entry that it is a part of: another statement may tell that as one line. */
  readonly entry?: Pick<ToldLine, "id" | "currency" | "units">
}

/** What has become of the lines of a part. */
export interface LinesRecorded {
  readonly added: number
  /** Those that were there already. */
  readonly known: number
  /** Those that were there with another amount, currency or day, and those that another statement tells by their parts that is not whole. */
  readonly changed: ReadonlyArray<string>
}

/** The ids of the entries that a line may be, or be a part of. */
const entryIds = ({ entry, id }: NamedLine): ReadonlyArray<string> =>
  entry === undefined ? [id, ...earlierAmongSame(id), ...laterAmongSame(id)] : [entry.id]

/** What else another statement may call an entry that it tells as one line: any of those that have one id there. */
const otherIds = ({ id }: Pick<ToldLine, "id">): ReadonlyArray<string> => [
  ...earlierAmongSame(id),
  ...laterAmongSame(id)
]

/** What `sortLines` reads. */
export const readLines = (place: string, lines: ReadonlyArray<NamedLine>) => [
  ...[
    ...new Set(
      lines.flatMap(({ entry, formerId, id }) => [
        id,
        ...(formerId === undefined ? [] : [formerId]),
        ...(entry === undefined ? [] : [entry.id, ...otherIds(entry)])
      ])
    )
  ].map((id) => readRecord(StatementLine, lineKey(place, id))),
  ...[...new Set(lines.flatMap(entryIds))].map((id) => readGroup(SplitEntry, lineKey(place, id))),
  readGroup(Statement, place)
]

/** The line as it is there already. By its former id it is only where this statement brought that. */
const knownLine = (view: View, place: string, statement: string, { formerId, id }: NamedLine) => {
  const found = view.get(StatementLine, lineKey(place, id))
  if (found !== undefined || formerId === undefined) return found
  const former = view.get(StatementLine, lineKey(place, formerId))
  return former !== undefined && isTold(former, new Set([statement])) ? former : undefined
}

/** What a line is to what is there. */
type Standing =
  | { readonly _tag: "Fresh" }
  | { readonly _tag: "Known"; readonly as?: StatementLine }
  | { readonly _tag: "Changed"; readonly id: string }
  /** Another statement tells it by its parts, and is not whole: it cannot be told yet whether it would count twice. */
  | { readonly _tag: "Waiting"; readonly id: string; readonly statement: string }

type Booked = Pick<ToldLine, "at" | "currency" | "units">

const isOtherAmount = (one: Booked, other: Booked): boolean =>
  one.units !== other.units || one.currency !== other.currency

/**
 * Whether a line is booked after all that a statement tells that has told an entry of its id by its parts. It is other money if it comes to
 * another amount: what the bank books again under the id of a batch, as its fee or return.
 */
const isAfter = (view: View, line: NamedLine, parts: SplitEntry): boolean =>
  isOtherAmount(line, parts) &&
  view.group(Statement, parts.place).some((one) => one.id === parts.statement && isWhole(one) && one.to <= line.at)

/**
 * The same of an entry that is told by its parts where the line of its id is known first: it is booked before all that others tell that have told the line.
 * What its own statement alone tells is other money, too.
 */
const isBefore = (view: View, statement: string, entry: Booked, line: StatementLine): boolean => {
  const others = [line.statement, ...line.alsoIn].filter((id) => id !== statement)
  const all = view.group(Statement, line.place)
  return (
    others.length === 0 ||
    (isOtherAmount(entry, line) &&
      others.every((id) => all.some((one) => one.id === id && isWhole(one) && entry.at < one.from)))
  )
}

/**
 * Whether what a statement calls the how manieth of its id is what another tells in the other form, by its parts or as one line, as another one of
 * that id: the two tell what has one id in another order, or over other days. As two it would count twice.
 */
const isElsewhere = (view: View, place: string, statement: string, { entry, ...line }: NamedLine): boolean =>
  entry === undefined
    ? otherIds(line)
        .flatMap((id) => view.group(SplitEntry, lineKey(place, id)))
        .some((one) => one.statement !== statement && isSameLine(one, line))
    : otherIds(entry)
        .flatMap((id) => view.get(StatementLine, lineKey(place, id)) ?? [])
        .some((one) => !isTold(one, new Set([statement])) && isSameLine(one, { ...line, ...entry }))

/**
 * What a line is whose id is not known: another statement may have told the same money, as parts of it or as the entry of which it is one. What
 * the same statement tells is other money: some banks give one id to a batch and to its fee.
 */
const standingOfNew = (view: View, place: string, statement: string, line: NamedLine): Standing => {
  const { id, ...entry } = { ...line, ...line.entry }
  const isSame = (one: StatementLine | SplitEntry) => isSameLine(one, entry)
  const found = line.entry && view.get(StatementLine, lineKey(place, id))
  const whole = found === undefined || isBefore(view, statement, entry, found) ? undefined : found
  const inParts = view
    .group(SplitEntry, lineKey(place, id))
    .filter((one) => one.statement !== statement && (line.entry !== undefined || !isAfter(view, line, one)))
  if (![...inParts, ...(whole === undefined ? [] : [whole])].every(isSame)) return { _tag: "Changed", id }
  if (whole !== undefined) return { _tag: "Known", as: whole }
  const [first] = inParts
  if (line.entry !== undefined || first === undefined)
    return isElsewhere(view, place, statement, line) ? { _tag: "Changed", id } : { _tag: "Fresh" }
  const ended = wholeOf(view.group(Statement, place))
  const all = inParts.filter((one) => ended.has(one.statement))
  if (all.some(({ told, units }) => told === units)) return { _tag: "Known" }
  const open = inParts.find((one) => !ended.has(one.statement))
  return open === undefined ? { _tag: "Changed", id } : { _tag: "Waiting", id, statement: open.statement }
}

const standingOf = (view: View, place: string, statement: string, line: NamedLine): Standing => {
  const own = knownLine(view, place, statement, line)
  if (own === undefined) return standingOfNew(view, place, statement, line)
  return isSameLine(own, line) ? { _tag: "Known", as: own } : { _tag: "Changed", id: line.id }
}

/** What a statement has told of an entry that is not there as one line. */
const splitIn = (view: View, place: string, statement: string, id: string) =>
  view.group(SplitEntry, lineKey(place, id)).find((one) => one.statement === statement)

/** What a statement has told of entries with lines that are parts of them, and are not there as the entry. */
const splitOf = (view: View, place: string, statement: string, parts: ReadonlyArray<NamedLine>) =>
  [...Map.groupBy(parts, ({ entry }) => entry?.id).values()].flatMap((some): ReadonlyArray<SplitEntry> => {
    const [first] = some
    if (first?.entry === undefined) return []
    const { currency, id, units } = first.entry
    const begun = { place, id, statement, at: first.at, currency, units, told: 0n }
    const before = splitIn(view, place, statement, id) ?? begun
    return [{ ...before, told: some.reduce((sum, part) => sum + part.units, before.told) }]
  })

/** Sorts lines that a statement tells by whether they are there already, and says what is to be put. Reads `readLines`. */
export const sortLines = (view: View, place: string, statement: string, lines: ReadonlyArray<NamedLine>) => {
  const found = lines.map((line) => ({ line, standing: standingOf(view, place, statement, line) }))
  const changed = found.flatMap(({ standing }) => (standing._tag === "Changed" ? [standing.id] : []))
  const waiting = found.flatMap(({ standing }) => (standing._tag === "Waiting" ? [standing] : []))
  const fresh = found.flatMap(
    ({ line: { entry: _entry, formerId: _formerId, ...line }, standing }): ReadonlyArray<StatementLine> =>
      standing._tag === "Fresh" ? [{ ...line, place, statement, alsoIn: [] }] : []
  )
  // the one that brought it first may never be whole
  const again = found.flatMap(({ standing }): ReadonlyArray<StatementLine> =>
    standing._tag === "Known" && standing.as !== undefined && !isTold(standing.as, new Set([statement]))
      ? [standing.as]
      : []
  )
  // the parts of an entry that is there as one line are there once
  const told = new Map(again.map((one) => [one.id, { ...one, alsoIn: [...one.alsoIn, statement] }]))
  const parts = found.flatMap(({ line, standing }) =>
    standing._tag === "Fresh" || (standing._tag === "Known" && standing.as?.id !== line.entry?.id) ? [line] : []
  )
  // what it tells as one line of what others tell by its parts: it has told that entry as they have, and whatever else is of its days (`isAfter`)
  const asOne = found.flatMap(({ line, standing }) =>
    standing._tag === "Known" && standing.as === undefined && splitIn(view, place, statement, line.id) === undefined
      ? [{ ...line, entry: line }]
      : []
  )
  return {
    puts: [
      ...[...fresh, ...told.values()].map((line) => putRecord(StatementLine, line)),
      ...splitOf(view, place, statement, [...parts, ...asOne]).map((one) => putRecord(SplitEntry, one))
    ],
    waiting,
    told: {
      added: fresh.length,
      known: lines.length - fresh.length - changed.length - waiting.length,
      changed: [...changed, ...waiting.map(({ id }) => id)]
    }
  }
}
