import type { Block, ChainError } from "@bursar/core/port/Chain"
import { Effect, Schema } from "effect"
import type { Hashes } from "./Hashes.ts"
import type { HorizonHttp } from "./HorizonHttp.ts"
import { absent, inconsistent } from "./NodeAnswer.ts"
import { readLedger } from "./readLedger.ts"
import { readOperations } from "./readOperations.ts"
import { transfersOf } from "./transfersOf.ts"
import { Hash } from "./wire.ts"

/** A ledger by its hash with all that it moved. Whatever does not add up fails the whole ledger. */
export const readBlock = Effect.fn("StellarChain.readBlock")(function* (
  http: HorizonHttp,
  hashes: Hashes,
  assets: ReadonlySet<string>,
  hash: string
): Effect.fn.Return<Block, ChainError> {
  const doing = `read block ${hash}`
  if (!Schema.is(Hash)(hash)) return yield* absent(doing, "this is not the hash of a ledger")
  const sequence = yield* hashes.sequenceOf(hash)
  const ledger = yield* readLedger(http, sequence)
  if (ledger.ref.hash !== hash) return yield* inconsistent(doing, `ledger ${sequence} is now ${ledger.ref.hash}`)
  const operations = yield* readOperations(http, ledger)
  const transfers = yield* Effect.forEach(operations, (read) => transfersOf(doing, assets, read))
  return { ...ledger.ref, transfers: transfers.flat() }
})
