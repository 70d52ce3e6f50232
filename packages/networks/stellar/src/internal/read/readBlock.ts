import type { Block, ChainError, Transfer } from "@bursar/core/port/Chain"
import { Effect, Result, Schema } from "effect"
import type { Hashes } from "./Hashes.ts"
import type { HorizonHttp } from "../rpc/Rpc.ts"
import { absent, inconsistent } from "../rpc/NodeAnswer.ts"
import { readLedger } from "./readLedger.ts"
import { readOperations } from "./readOperations.ts"
import { transfersOf } from "./transfersOf.ts"
import { type UnreadOperation, unreadOf } from "./unreadOf.ts"
import { Hash } from "../rpc/wire.ts"

/** What ledgers are read with. */
export interface Reading {
  readonly http: HorizonHttp
  readonly hashes: Hashes
  readonly networkPassphrase: string
  /** The pinned assets as code and issuer. */
  readonly assets: ReadonlySet<string>
}

/**
 * A ledger by its hash with all that it moved. Whatever does not add up fails the whole ledger; an operation that cannot be read makes
 * its transaction one of the unread, and keeps no other from being read.
 */
export const readBlock = Effect.fn("StellarReader.readBlock")(function* (
  { assets, hashes, http, networkPassphrase }: Reading,
  hash: string
): Effect.fn.Return<Block, ChainError> {
  const doing = `read block ${hash}`
  if (!Schema.is(Hash)(hash)) return yield* absent(doing, "this is not the hash of a ledger")
  const sequence = yield* hashes.sequenceOf(hash)
  const ledger = yield* readLedger(http, sequence)
  if (ledger.ref.hash !== hash) return yield* inconsistent(doing, `ledger ${sequence} is now ${ledger.ref.hash}`)
  const operations = yield* readOperations(http, networkPassphrase, ledger)
  const transfers: Array<Transfer> = []
  const strange: Array<UnreadOperation> = []
  for (const operation of operations) {
    const read = transfersOf(assets, operation)
    if (Result.isSuccess(read)) transfers.push(...read.success)
    else strange.push({ operation, reason: read.failure })
  }
  const unread = yield* unreadOf(http, assets, strange)
  return { ...ledger.ref, transfers, ...(unread.length === 0 ? {} : { unread }) }
})
