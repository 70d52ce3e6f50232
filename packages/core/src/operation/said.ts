import type { Change } from "../engine/Change.ts"
import { isPut, putRecord } from "../engine/Records.ts"
import { Operation } from "./Operation.ts"

/** An operation as changes leave it; undefined where they do not put it. */
export const putOf = (changes: ReadonlyArray<Change>, operationId: string): Operation | undefined =>
  changes.flatMap((one) => (isPut(Operation, one) && one.record.id === operationId ? [one.record] : [])).at(-1)

/** Changes with the last word on an operation. */
export const lastWord = (
  changes: ReadonlyArray<Change>,
  operationId: string,
  word: (operation: Operation) => Operation
): ReadonlyArray<Change> =>
  changes.map((one) =>
    isPut(Operation, one) && one.record.id === operationId ? putRecord(Operation, word(one.record)) : one
  )

/** An operation of which its provider has said something; as it was where that is no news. */
export const saidOf = (operation: Operation, said: string | undefined): Operation =>
  said === undefined || said === operation.details.said
    ? operation
    : { ...operation, details: { ...operation.details, said } }

/**
 * What an answer changes, with what the provider has said in it, so that what operators decide on is known to be what it said last. Undefined
 * where it said nothing.
 */
export const withSaid = (
  changes: ReadonlyArray<Change>,
  before: Operation,
  said: string | undefined
): ReadonlyArray<Change> => {
  if (said === undefined || said === before.details.said) return changes
  return putOf(changes, before.id) === undefined
    ? [...changes, putRecord(Operation, saidOf(before, said))]
    : lastWord(changes, before.id, (one) => saidOf(one, said))
}
