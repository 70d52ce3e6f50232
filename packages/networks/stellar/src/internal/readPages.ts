import type { ChainError } from "@bursar/core/port/Chain"
import { Effect } from "effect"
import type { HorizonHttp } from "./HorizonHttp.ts"
import { decoded, inconsistent } from "./NodeAnswer.ts"
import { RecordsPage } from "./wire.ts"

const pageMax = 200

/** A collection of a ledger. */
export interface Collection<A> {
  readonly doing: string
  readonly path: string
  /** How many records there must be. */
  readonly count: number
  /** Reads a record, with its number of history. */
  readonly read: (record: unknown) => Effect.Effect<{ readonly id: string; readonly value: A }, ChainError>
}

/**
 * The records of a collection in ascending order, of what succeeded. The pages begin with 200 records and are halved where they are
 * too large to be read: what a transaction says may be of any length. Ends early where there are too many.
 */
export const readPages = Effect.fn("StellarChain.readPages")(function* <A>(
  http: HorizonHttp,
  { count, doing, path, read }: Collection<A>
): Effect.fn.Return<ReadonlyArray<A>, ChainError> {
  const found: Array<A> = []
  let cursor = ""
  let limit = pageMax
  while (true) {
    const query = { order: "asc", limit: String(limit), include_failed: "false" }
    const answer = yield* http.getPage(doing, path, cursor === "" ? query : { ...query, cursor })
    if (answer === undefined) {
      if (limit === 1) return yield* inconsistent(doing, `what follows ${cursor} is too large to be read`)
      limit = Math.floor(limit / 2)
      continue
    }
    const { records } = (yield* decoded(doing, RecordsPage, answer))._embedded
    for (const record of records) {
      const { id, value } = yield* read(record)
      if (cursor !== "" && BigInt(id) <= BigInt(cursor))
        return yield* inconsistent(doing, `${id} comes after ${cursor}`)
      cursor = id
      found.push(value)
    }
    if (found.length > count || records.length < limit) return found
  }
})
