import { Effect } from "effect"

/** A row of a log by the number that it counts up; without the row where it cannot be read, for somebody has changed what only the service writes. */
export interface NumberedRow<A> {
  readonly number: number
  readonly row: A | undefined
}

/** How the rows of a log are read. */
export interface NumberedLog<A, E> {
  /** The rows after a number, oldest first. It dies where one of them cannot be read. */
  readonly after: (number: number, limit: number) => Effect.Effect<ReadonlyArray<A>, E>
  readonly numberOf: (row: A) => number
}

/**
 * Reads at most so many rows after a number, oldest first, also where some cannot be read: each is read by itself then. One that cannot is taken for the
 * one with the next number.
 */
export const readNumbered = <A, E>(
  { after, numberOf }: NumberedLog<A, E>,
  from: number,
  limit: number
): Effect.Effect<ReadonlyArray<NumberedRow<A>>, E> => {
  const numbered = (row: A): NumberedRow<A> => ({ number: numberOf(row), row })
  const oneAfter = (number: number) =>
    Effect.catchDefect(
      Effect.map(after(number, 1), ([row]) => (row === undefined ? undefined : numbered(row))),
      () => Effect.succeed<NumberedRow<A>>({ number: number + 1, row: undefined })
    )
  const oneByOne = Effect.gen(function* () {
    const rows: Array<NumberedRow<A>> = []
    while (rows.length < limit) {
      const next = yield* oneAfter(rows.at(-1)?.number ?? from)
      if (next === undefined) break
      rows.push(next)
    }
    return rows
  })
  return Effect.catchDefect(
    Effect.map(after(from, limit), (rows): ReadonlyArray<NumberedRow<A>> => rows.map(numbered)),
    () => oneByOne
  )
}

/** Whether the rows after some need not be asked for: these are the last, or none can be read, and where the log ends nobody can tell. */
export const isLastPage = (rows: ReadonlyArray<NumberedRow<unknown>>, limit: number): boolean =>
  rows.length < limit || rows.every(({ row }) => row === undefined)
