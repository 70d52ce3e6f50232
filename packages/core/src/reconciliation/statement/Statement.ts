import type { Timestamp } from "../../base/Timestamp.ts"
import { defineRecord } from "../../engine/Records.ts"

/** The statement that a provider's interface tells on and on. */
export const interfaceStatement = "interface"

/** What a statement says of itself. All lines of the place that were booked in its period are in it. */
export interface StatementHeader {
  /** The name of the place. */
  readonly place: string
  readonly id: string
  /** The currencies that it is about; null where it is about all. */
  readonly currencies: ReadonlyArray<string> | null
  readonly from: Timestamp
  /** Where its period ends; not in it. */
  readonly to: Timestamp
  /** In how many parts it comes. */
  readonly parts: number
  /** The digest of all its lines: the same id with other lines is another statement under a name that is taken. */
  readonly digest: string
}

/** A statement of a place. Its lines are kept by themselves. */
export interface Statement extends StatementHeader {
  /** The numbers of the parts that have come, from 0. */
  readonly received: ReadonlyArray<number>
  /** Up to when the books were compared with it. */
  readonly checkedTo: Timestamp
  readonly by: string
  /** When its first part was imported, or when a provider's interface last told of it. */
  readonly at: Timestamp
}

/** The key of a statement. */
export const statementKey = (place: string, id: string): string => `${place}|${id}`

/** Statements by place and id. Those of a place are a group. */
export const Statement = defineRecord<Statement>({
  name: "Statement",
  key: ({ id, place }) => statementKey(place, id),
  group: ({ place }) => place
})

/** Whether all of it is there: a statement that lacks a part proves nothing. */
export const isWhole = ({ parts, received }: Statement): boolean => received.length === parts

/** The ids of those that are whole. */
export const wholeOf = (all: ReadonlyArray<Statement>): ReadonlySet<string> =>
  new Set(all.filter(isWhole).map(({ id }) => id))

/** Whether a statement is about a holding of some currencies. */
export const isAbout = ({ currencies }: Statement, holding: ReadonlySet<string>): boolean =>
  currencies === null || currencies.some((code) => holding.has(code))

/** Whether a statement is about all that another one is about. */
export const covers = ({ currencies }: StatementHeader, other: StatementHeader): boolean =>
  currencies === null || (other.currencies?.every((code) => currencies.includes(code)) ?? false)

/** From when on statements tell: what began earlier may have had its lines before. A gap between two of them changes nothing of that. */
export const toldFrom = (all: ReadonlyArray<Statement>): Timestamp => Math.min(...all.map(({ from }) => from))

/**
 * Where a statement ends for a comparison: one that was imported before the end of its period was made before that, and cannot have what
 * came since.
 */
const endOf = ({ at, to }: Statement): Timestamp => Math.min(at, to)

/** Up to when a statement can be compared beside others: what was booked shortly before its end can be on a later one. */
const comparableTo = (statement: Statement, all: ReadonlyArray<Statement>, graceMs: number): Timestamp =>
  Math.min(endOf(statement), Math.max(...[statement, ...all].map(endOf)) - graceMs)

/** Up to when a statement can be compared in all currencies that it is about. */
export const comparableInAll = (statement: Statement, all: ReadonlyArray<Statement>, graceMs: number): Timestamp =>
  comparableTo(
    statement,
    all.filter((one) => covers(one, statement)),
    graceMs
  )

/** Banks make no statements of days without movements, such as holidays. A longer gap is a statement that is missing. */
const quietMs = 7 * 86_400_000

/** Whether the books were compared with nothing of it yet. */
const isNew = ({ checkedTo, from }: Statement): boolean => checkedTo === from

/** Whether a statement begins in the time of another, or so soon after it that none is missing between them. */
const follows = ({ from }: Statement, other: Statement): boolean => other.from <= from && from <= endOf(other) + quietMs

/**
 * What of the books is to be compared with a statement, beside others about the same holding: what was not yet, and all of it while it is
 * new, follows one that is, or the earliest of all is. An older statement that comes late ends where nobody knew of it; and the earliest
 * takes away the excuse of what began in its time, however much later that was booked. With all of it goes what was booked between it and
 * the one before, where no statement is missing between them.
 */
export const uncompared = (
  statement: Statement,
  all: ReadonlyArray<Statement>,
  graceMs: number
): { readonly from: Timestamp; readonly to: Timestamp } => {
  const { checkedTo, from } = statement
  const to = comparableTo(statement, all, graceMs)
  const beside = [statement, ...all]
  const first = toldFrom(beside)
  if (!beside.some((one) => isNew(one) && (follows(statement, one) || one.from === first)))
    return { from: checkedTo, to }
  const before = Math.max(...all.filter((one) => one.from < from).map((one) => Math.min(endOf(one), from)))
  return { from: before >= from - quietMs ? before : from, to }
}
