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

/** How the first is called of those among which an id is that of a later one (`idAmongSame`); undefined of any other id. */
export const firstAmongSame = (id: string): string | undefined => /^(.+)#[1-9][0-9]*$/su.exec(id)?.[1]

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
