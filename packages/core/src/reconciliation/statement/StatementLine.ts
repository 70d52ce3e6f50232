import { defineRecord } from "../../engine/Records.ts"
import type { ToldLine } from "../../port/ProviderStatement.ts"
import type { TenantId } from "../../tenant/Tenant.ts"

/** The operation that a line is about. */
export interface AboutOperation {
  readonly operationId: string
  readonly tenantId: TenantId
}

/**
 * A line of a statement of a place, as it is kept. It never changes, but that other statements bring it, too, and that it is found out which
 * operation it is about.
 */
export interface StatementLine extends ToldLine {
  /** The name of the place. */
  readonly place: string
  /** The statement that brought it first. */
  readonly statement: string
  /** Others that have brought it, too. */
  readonly alsoIn: ReadonlyArray<string>
  /** Null while nobody knows. */
  readonly about: AboutOperation | null
}

/** The key of a line: a provider's ids are its own. */
export const lineKey = (place: string, id: string): string => `${place}|${id}`

/** How a line is called whose id is its statement's alone. */
export const idInStatement = (statement: string, id: string): string => `${statement}:${id}`

/** How a line is called that is a part of an entry of the bank, by its place there, from 1. */
export const idOfPart = (entry: string, place: number): string => `${entry}/${place}`

/** How the how manieth, from 1, of what has one id in a statement is called: some banks give one to an entry and to its fee. */
export const idAmongSame = (id: string, times: number): string => (times === 1 ? id : `${id}#${times}`)

/** So many that come before one of its id are looked for at most: a greater number is taken for the bank's own. */
const earlierLinesMax = 50

/** So many that come after one of its id are looked for. */
const laterLinesMax = 10

/** The first of those that have one id in a statement (`idAmongSame`), and which of them one is; undefined of any other id. */
const amongSame = (id: string) => {
  const [, first, times] = /^(.+)#([1-9][0-9]*)$/su.exec(id) ?? []
  return first === undefined ? undefined : { first, times: Number(times) }
}

const namesAmongSame = (first: string, from: number, to: number): ReadonlyArray<string> =>
  Array.from({ length: Math.max(0, to - from) }, (_, at) => idAmongSame(first, from + at))

/** How those are called that come before one of what has one id in a statement: the first and all up to it; none of any other id. */
export const earlierAmongSame = (id: string): ReadonlyArray<string> => {
  const { first, times } = amongSame(id) ?? { first: id, times: 1 }
  if (first === id) return []
  return namesAmongSame(first, 1, times > earlierLinesMax + 1 ? 2 : Math.max(2, times))
}

/** How the next ones are called that come after one of what has one id in a statement. */
export const laterAmongSame = (id: string): ReadonlyArray<string> => {
  const { first, times } = amongSame(id) ?? { first: id, times: 1 }
  return namesAmongSame(first, times + 1, times + 1 + laterLinesMax)
}

/** The group of the lines of a place that are about an operation. */
export const linesAbout = (place: string, operationId: string): string => `${place}|${operationId}`

/** The group of the lines of a place of which nobody knows what they are about. */
export const unassignedLines = (place: string): string => `${place}|`

/** Lines by place and id. Those about an operation are a group, and those about none that is known. */
export const StatementLine = defineRecord<StatementLine>({
  name: "StatementLine",
  key: ({ id, place }) => lineKey(place, id),
  group: ({ about, place }) => (about === null ? unassignedLines(place) : linesAbout(place, about.operationId))
})

/** Whether a statement that is whole has brought a line: what is known from a part alone is counted nowhere. */
export const isTold = ({ alsoIn, statement }: StatementLine, whole: ReadonlySet<string>): boolean =>
  whole.has(statement) || alsoIn.some((id) => whole.has(id))

/**
 * Statements tell days, and say when these begin by the clocks of their own first day: where the clocks change, another statement tells the same
 * day an hour off.
 */
const sameDayMs = 86_400_000

/** What makes two lines of one id the same line. */
export const isSameLine = (
  one: Pick<ToldLine, "at" | "currency" | "units">,
  other: Pick<ToldLine, "at" | "currency" | "units">
): boolean => Math.abs(one.at - other.at) < sameDayMs && one.currency === other.currency && one.units === other.units
