import { hash as sha256, xdr } from "@stellar/stellar-sdk/base"
import type { BlockRef, ChainError } from "@bursar/core/port/Chain"
import { Effect, Result } from "effect"
import type { HorizonHttp } from "../rpc/Rpc.ts"
import { decoded, inconsistent } from "../rpc/NodeAnswer.ts"
import { LedgerAnswer, LedgersPage } from "../rpc/wire.ts"

/** A ledger whose header gives its hash, with what its operations are counted against. */
export interface CheckedLedger {
  readonly ref: BlockRef
  readonly transactions: number
  readonly operations: number
  /** What an account must keep for each of its entries, in stroops. */
  readonly baseReserve: bigint
}

const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

/** Reads a ledger out of its header, and fails where the header does not give its hash or says something else. */
const checked = (doing: string, answer: LedgerAnswer): Effect.Effect<CheckedLedger, ChainError> => {
  const wrong = (detail: string) => Effect.fail(inconsistent(doing, detail))
  const header = Result.getOrUndefined(Result.try(() => xdr.LedgerHeader.fromXdr(answer.header_xdr, "base64")))
  if (header === undefined) return wrong(`the header of ledger ${answer.sequence} cannot be read`)
  if (hexOf(sha256(header.toXdr())) !== answer.hash) return wrong(`the header does not give the hash ${answer.hash}`)
  if (header.ledgerSeq !== answer.sequence)
    return wrong(`ledger ${answer.sequence} is ${header.ledgerSeq} by its header`)
  const parentHash = hexOf(header.previousLedgerHash.toBytes())
  if (answer.prev_hash !== undefined && answer.prev_hash !== null && answer.prev_hash !== parentHash) {
    return wrong(`ledger ${answer.sequence} names another parent than its header`)
  }
  const time = Number(header.scpValue.closeTime) * 1_000
  if (Date.parse(answer.closed_at) !== time) return wrong(`ledger ${answer.sequence} has another time than its header`)
  return Effect.succeed({
    ref: { number: answer.sequence, hash: answer.hash, parentHash, time },
    transactions: answer.successful_transaction_count,
    operations: answer.operation_count,
    baseReserve: BigInt(header.baseReserve)
  })
}

/** A closed ledger by its sequence; `absent` where the node has none. */
export const readLedger = Effect.fn("StellarReader.readLedger")(function* (
  http: HorizonHttp,
  sequence: number
): Effect.fn.Return<CheckedLedger, ChainError> {
  const doing = `read ledger ${sequence}`
  const ledger = yield* checked(
    doing,
    yield* decoded(doing, LedgerAnswer, yield* http.get(doing, `ledgers/${sequence}`))
  )
  return ledger.ref.number === sequence
    ? ledger
    : yield* inconsistent(doing, `the node answered with ledger ${ledger.ref.number}`)
})

/** Ledgers from an end of history, or from below a sequence downwards, checked. */
const readPage = Effect.fn("StellarReader.readLedgers")(function* (
  http: HorizonHttp,
  order: "asc" | "desc",
  limit: number,
  below?: number
): Effect.fn.Return<ReadonlyArray<CheckedLedger>, ChainError> {
  const doing = `read the ${order === "asc" ? "oldest" : "latest"} ledgers`
  const cursor = below === undefined ? {} : { cursor: (BigInt(below) << 32n).toString() }
  const answer = yield* http.get(doing, "ledgers", { order, limit: String(limit), ...cursor })
  const { _embedded } = yield* decoded(doing, LedgersPage, answer)
  return yield* Effect.forEach(_embedded.records, (record) => checked(doing, record))
})

/** Ledgers from an end of history, or from below a sequence downwards. A node always has some, so none is inconsistent. */
export const readLedgers = (
  http: HorizonHttp,
  order: "asc" | "desc",
  limit: number,
  below?: number
): Effect.Effect<ReadonlyArray<BlockRef>, ChainError> =>
  Effect.map(readPage(http, order, limit, below), (ledgers) => ledgers.map(({ ref }) => ref))

/** The ledger at an end of history, with what else its header says. */
export const readEndLedger = Effect.fnUntraced(function* (
  http: HorizonHttp,
  end: "latest" | "oldest"
): Effect.fn.Return<CheckedLedger, ChainError> {
  const [ledger] = yield* readPage(http, end === "latest" ? "desc" : "asc", 1)
  return ledger ?? (yield* inconsistent(`read the ${end} ledger`, "the node says that it has no ledger at all"))
})

/** The ledger at an end of history: the latest, or the oldest that the node keeps. */
export const readEnd = (http: HorizonHttp, end: "latest" | "oldest"): Effect.Effect<BlockRef, ChainError> =>
  Effect.map(readEndLedger(http, end), ({ ref }) => ref)

/** The genesis of a network, of which some nodes keep the second ledger as the first. */
const firstLedgers = 2

/** Whether a node keeps the whole history, which begins with this ledger. */
export const isWhole = (oldest: BlockRef): boolean => oldest.number <= firstLedgers
