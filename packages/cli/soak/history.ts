import type { Reading, Spent } from "./readings.ts"

/** A request under an idempotency key. One that was not answered, or with a failure of the service, may have done its work or not. */
export interface Attempt {
  readonly from: number
  readonly to: number | null
  readonly answer: string | null
  readonly replayed: boolean
}

/** What partners did and saw, and when. */
export interface History {
  readonly opening: bigint
  readonly spent: ReadonlyArray<Spent>
  readonly readings: ReadonlyArray<Reading>
  readonly asked: ReadonlyArray<{ readonly idempotencyKey: string; readonly attempts: ReadonlyArray<Attempt> }>
}

/** A history as the checker reads it; base units are text. */
export const historyText = ({ asked, opening, readings, spent }: History): string =>
  JSON.stringify(
    {
      opening,
      spent,
      readings,
      attempts: asked.flatMap(({ attempts, idempotencyKey }) =>
        attempts.map((one) => ({ ...one, key: idempotencyKey }))
      )
    },
    (_, value: unknown) => (typeof value === "bigint" ? String(value) : value)
  )
