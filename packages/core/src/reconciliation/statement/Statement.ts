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

/** Whether a statement is about a holding of some currencies. */
export const isAbout = ({ currencies }: Statement, holding: ReadonlySet<string>): boolean =>
  currencies === null || currencies.some((code) => holding.has(code))

/** From when on statements tell without a gap, up to where one of them ends: those before it that reach it are counted. */
export const toldSince = (all: ReadonlyArray<Statement>, last: Statement): Timestamp => {
  let since = last.from
  for (;;) {
    const before = all.filter(({ from, to }) => from < since && to >= since)
    if (before.length === 0) return since
    since = Math.min(...before.map(({ from }) => from))
  }
}
