import type { Timestamp } from "../base/Timestamp.ts"
import type { CommonDetails } from "./details/CommonDetails.ts"
import type { Operation } from "./Operation.ts"
import { orderIds } from "./orderIds.ts"

/** What a provider says of an operation which cannot be so as the books have it. */
export interface Contradicting {
  readonly said: string
  /** What it says without the reason that it gives, where it gives one: it may word that anew each time. Absent where it gives none. */
  readonly kind?: string
  /** Whether money has moved of which the books know nothing. */
  readonly moved: boolean
}

/** What a provider said, and when, that cannot be so as the books have it, and of which order where it named one. */
export type Contradiction = Omit<NonNullable<CommonDetails["contradiction"]>, "others">

/** What operators have dealt with: who, when and why, and which status the operation had then. */
export type ClosedContradiction = NonNullable<CommonDetails["closed_contradictions"]>[number]

/** How many are kept of an operation. Its provider may say ever more of ever more orders. */
export const contradictionsMax = 20

/** How many are kept that operators have closed: the newest. What is forgotten of them is news when it is said again. */
export const closedContradictionsMax = 100

/** Old ones do not tell whether money has moved, and may say so. */
const isMoved = ({ moved }: Contradiction): boolean => moved !== false

/** Whether it stands against an operation that money has moved of which the books know nothing. */
export const isMovedBeside = (operation: Pick<Operation, "details">): boolean =>
  contradictionsOf(operation).some(isMoved)

/** How near the order that something was said of is to an operation: its own ids come first, as `orderIds` has them. */
const distance = (operation: Operation, { reference }: Contradiction): number => {
  const ids = orderIds(operation)
  const at = reference === undefined ? -1 : ids.indexOf(reference)
  return at < 0 ? ids.length : at
}

/** What tells more comes first: that money has moved, then what concerns the operation's own orders. */
const byWeight =
  (operation: Operation) =>
  (one: Contradiction, other: Contradiction): number =>
    Number(isMoved(other)) - Number(isMoved(one)) || distance(operation, one) - distance(operation, other)

/** All that stands against an operation, what tells most first: that money has moved, then what concerns its own orders, then what was said last. */
export const contradictionsOf = ({ details }: Pick<Operation, "details">): ReadonlyArray<Contradiction> => {
  if (details.contradiction === undefined) return []
  const { others = [], ...first } = details.contradiction
  return [first, ...others]
}

/** What stood against an operation until operators closed it, oldest closed first. */
export const closedContradictionsOf = ({ details }: Pick<Operation, "details">): ReadonlyArray<ClosedContradiction> =>
  details.closed_contradictions ?? []

const inWriting = ({ at, moved, reference, said }: Contradiction) => [reference ?? null, said, at, moved ?? null]

/**
 * All that stands against an operation in writing, with the books that it stands against: its status, and when operators resolved it last. Equal texts
 * say the same against the same books.
 */
export const contradictionsText = (operation: Pick<Operation, "details" | "status">): string =>
  JSON.stringify([
    operation.status,
    operation.details.resolution?.at ?? null,
    ...contradictionsOf(operation).map(inWriting)
  ])

/**
 * What was ever said against an operation and is not among what was `known`, each of which is in writing (`notedOf`). What operators have closed since
 * was said all the same, and whether it is known does not depend on a clock.
 */
export const newlyNoted = (
  operation: Pick<Operation, "details">,
  known: ReadonlyArray<string>
): ReadonlyArray<Contradiction> =>
  [...contradictionsOf(operation), ...closedContradictionsOf(operation)].filter(
    (one) => !known.includes(JSON.stringify(inWriting(one)))
  )

/** What was ever said against an operation, each in writing: what stands, and what operators have closed. */
export const notedOf = (operation: Pick<Operation, "details">): ReadonlyArray<string> =>
  newlyNoted(operation, []).map((one) => JSON.stringify(inWriting(one)))

/** An operation with these contradictions, and no others. */
const withContradictions = (operation: Operation, all: ReadonlyArray<Contradiction>): Operation => {
  const { contradiction: _, ...details } = operation.details
  const [first, ...others] = all.toSorted((one, other) => byWeight(operation)(one, other) || other.at - one.at)
  if (first === undefined) return { ...operation, details }
  return {
    ...operation,
    details: { ...details, contradiction: { ...first, ...(others.length > 0 && { others }) } }
  }
}

/** An operation without what was noted of an order, which has turned out to be another's, or was decided on. */
export const withoutContradictionsOf = (operation: Operation, reference: string | null): Operation => {
  const all = contradictionsOf(operation)
  const left = all.filter((one) => reference === null || one.reference !== reference)
  return left.length === all.length ? operation : withContradictions(operation, left)
}

/** An operation of which operators have closed all that stood against it. */
export const withContradictionsClosed = (
  operation: Operation,
  { at, by, reason }: { readonly at: Timestamp; readonly by: string; readonly reason: string }
): Operation => {
  const { status } = operation
  const closed = contradictionsOf(operation).map((one): ClosedContradiction => ({
    ...one,
    status,
    closed_at: at,
    closed_by: by,
    reason
  }))
  const after = withContradictions(operation, [])
  const kept = [...closedContradictionsOf(operation), ...closed].slice(-closedContradictionsMax)
  return { ...after, details: { ...after.details, closed_contradictions: kept } }
}

/** Whether what was closed says the same, in the same words, or for another reason. */
const isSame = (one: ClosedContradiction, { kind, moved, said }: Contradicting): boolean =>
  isMoved(one) === moved && (one.said === said || (one.kind ?? one.said) === (kind ?? said))

/**
 * Whether what is said of an order was closed by operators. It is news all the same once the operation has another status than then, or was resolved
 * since: they have looked at other books; and once its provider has said otherwise of the order since (`withClosedTakenBack`).
 */
const isClosed = (operation: Operation, said: Contradicting, reference: string | null): boolean =>
  closedContradictionsOf(operation).some(
    (one) =>
      (one.reference ?? null) === reference &&
      isSame(one, said) &&
      one.taken_back !== true &&
      one.status === operation.status &&
      (operation.details.resolution?.at ?? -Infinity) < one.closed_at
  )

/**
 * Whether what a provider says of an order of an operation, if anything of it cannot be so, takes back that money has moved by it: another
 * outcome does. That it has settled as the books have it says nothing of a second payment.
 */
export const takesBack = ({ status }: Pick<Operation, "status">, said: Contradicting | undefined): boolean =>
  said === undefined ? status !== "SETTLED" : !said.moved

/**
 * An operation of which a provider says otherwise of an order now (`takesBack`) than that money has moved by it, which operators have closed: they may have
 * closed it because it was so, or a mistake, and it is news once it is said again.
 */
export const withClosedTakenBack = (operation: Operation, reference: string | null): Operation => {
  const isTakenBack = (one: ClosedContradiction): boolean =>
    isMoved(one) && (one.reference ?? null) === reference && one.taken_back !== true
  const closed = closedContradictionsOf(operation)
  if (!closed.some(isTakenBack)) return operation
  const after = closed.map((one) => (isTakenBack(one) ? { ...one, taken_back: true } : one))
  return { ...operation, details: { ...operation.details, closed_contradictions: after } }
}

/** Those that are kept beside news: without the one that tells least, where so many are kept already; undefined where none tells less than the news. */
const withRoom = (
  operation: Operation,
  all: ReadonlyArray<Contradiction>,
  news: Contradiction
): ReadonlyArray<Contradiction> | undefined => {
  if (all.length < contradictionsMax) return all
  const weight = byWeight(operation)
  const weakest = all.toSorted(weight).at(-1)
  return weakest !== undefined && weight(news, weakest) < 0 ? all.filter((one) => one !== weakest) : undefined
}

/**
 * An operation with what its provider says that cannot be so as the books have it; undefined where that changes nothing. That money has moved is news beside
 * all else, once for each order and each way to say it. The rest is news where nothing was noted of the order: a provider words its reasons anew each time.
 * What operators have closed is no news (`isClosed`), and hides nothing else.
 */
export const contradictedBy = (
  operation: Operation,
  word: Contradicting,
  at: Timestamp,
  reference: string | null
): Operation | undefined => {
  const { kind, moved, said } = word
  const before = moved ? operation : withClosedTakenBack(operation, reference)
  const all = contradictionsOf(before)
  const ofIt = all.filter((one) => (one.reference ?? null) === reference)
  const isOpen = moved ? ofIt.some((one) => one.said === said) : ofIt.length > 0
  const isKnown = isOpen || isClosed(before, word, reference)
  const news: Contradiction = {
    said,
    at,
    ...(reference !== null && { reference }),
    moved,
    ...(kind !== undefined && { kind })
  }
  const kept = isKnown ? undefined : withRoom(before, all, news)
  if (kept !== undefined) return withContradictions(before, [news, ...kept])
  return before === operation ? undefined : before
}

/**
 * An operation with what its provider says of another order than the one that counts: only that money has moved by it is noted, and what it takes back of
 * that, which operators have closed, is news when it is said again.
 */
export const movedBesideBy = (
  operation: Operation,
  said: Contradicting | undefined,
  at: Timestamp,
  reference: string | null
): Operation => {
  const before = takesBack(operation, said) ? withClosedTakenBack(operation, reference) : operation
  return (said?.moved === true ? contradictedBy(before, said, at, reference) : undefined) ?? before
}
