import type { BlockRef, ChainError } from "@bursar/core/port/Chain"
import { Effect, Semaphore } from "effect"
import type { HorizonHttp } from "../rpc/Rpc.ts"
import { absent } from "../rpc/NodeAnswer.ts"
import { readLedgers } from "./readLedger.ts"

/** How many hashes are remembered; the one remembered first goes first. */
const hashesMax = 20_000

const pageMax = 200

/** How far back an unknown hash is looked for: 25 pages of 200 ledgers, some seven hours. */
const pagesMax = 25

/**
 * Which ledger has which hash. Horizon finds ledgers by sequence alone; so the hashes of headers that were read are remembered,
 * and one that is unknown, because the process is new, is looked for backwards from the latest ledger.
 */
export interface Hashes {
  readonly remember: (ref: BlockRef) => void
  /** The sequence of a hash; `absent` where none of the ledgers looked at has it. */
  readonly sequenceOf: (hash: string) => Effect.Effect<number, ChainError>
}

/** Remembers nothing yet. */
export const makeHashes = (http: HorizonHttp): Hashes => {
  const known = new Map<string, number>()
  const semaphore = Semaphore.makeUnsafe(1)

  const remember: Hashes["remember"] = ({ hash, number }) => {
    known.delete(hash)
    known.set(hash, number)
    const oldest = known.keys().next()
    if (known.size > hashesMax && oldest.done !== true) known.delete(oldest.value)
  }

  const lookFor = Effect.fnUntraced(function* (hash: string): Effect.fn.Return<number, ChainError> {
    let below: number | undefined
    for (let page = 0; page < pagesMax; page++) {
      // a search that went before may have come across it
      const found = known.get(hash)
      if (found !== undefined) return found
      const refs = yield* readLedgers(http, "desc", pageMax, below)
      refs.forEach(remember)
      below = refs.at(-1)?.number
      if (below === undefined || refs.length < pageMax) break
    }
    const found = known.get(hash)
    return (
      found ?? (yield* absent(`read block ${hash}`, `none of the last ${pagesMax * pageMax} ledgers has this hash`))
    )
  })

  return {
    remember,
    sequenceOf: (hash) => {
      const found = known.get(hash)
      return found === undefined ? Semaphore.withPermits(semaphore, 1)(lookFor(hash)) : Effect.succeed(found)
    }
  }
}
