import type { ChainError } from "@bursar/core/port/Chain"
import { Effect } from "effect"
import type { HorizonHttp } from "../rpc/Rpc.ts"
import { decoded, inconsistent } from "../rpc/NodeAnswer.ts"
import { RecordsPage } from "../rpc/wire.ts"

const pageMax = 200

/** A hundred times what a ledger of the main network can hold. */
const countMax = 100_000

/** The most that is read of one collection of a ledger, in bytes of its pages: what a node says must fit into memory. */
const bytesMax = 256 * 1024 * 1024

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
 * too large to be read: what a transaction says may be of any length. Ends early where there are too many, and reads no more than
 * 256 MiB of a collection.
 */
export const readPages = Effect.fn("StellarReader.readPages")(function* <A>(
  http: HorizonHttp,
  { count, doing, path, read }: Collection<A>
): Effect.fn.Return<ReadonlyArray<A>, ChainError> {
  if (count > countMax) return yield* inconsistent(doing, `the ledger counts ${count}, more than any can hold`)
  const found: Array<A> = []
  let bytes = 0
  let cursor = ""
  let limit = pageMax
  while (true) {
    const query = { order: "asc", limit: String(limit), include_failed: "false" }
    const part = yield* http.getPage(doing, path, cursor === "" ? query : { ...query, cursor })
    if (part === undefined) {
      if (limit === 1) return yield* inconsistent(doing, `what follows ${cursor} is too large to be read`)
      limit = Math.floor(limit / 2)
      continue
    }
    bytes += part.bytes
    if (bytes > bytesMax) return yield* inconsistent(doing, `its pages have more than ${bytesMax} bytes`)
    const { records } = (yield* decoded(doing, RecordsPage, part.answer))._embedded
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
