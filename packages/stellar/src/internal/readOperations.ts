import type { ChainError } from "@bursar/core/port/Chain"
import { Effect } from "effect"
import type { HorizonHttp } from "./HorizonHttp.ts"
import { decoded, inconsistent } from "./NodeAnswer.ts"
import type { CheckedLedger } from "./readLedger.ts"
import { partsOf } from "./toid.ts"
import { Operation, OperationsPage } from "./wire.ts"

const pageMax = 200

/** An operation with its place in its transaction, counted from 0, and all that the node said of it. */
export interface ReadOperation {
  readonly operation: Operation
  readonly index: number
  readonly answer: unknown
}

/** What is wrong with an operation by itself, or undefined. */
const fault = (sequence: number, { id, transaction, transaction_hash, transaction_successful }: Operation) => {
  if (partsOf(id).ledger !== sequence) return `operation ${id} is not of ledger ${sequence}`
  if (partsOf(id).operation === 0) return `${id} is not the number of an operation`
  if (!transaction_successful || !transaction.successful) return `operation ${id} failed, and was not asked for`
  return transaction.hash === transaction_hash ? undefined : `operation ${id} names two transactions`
}

/** What is wrong with the operations as a whole, or undefined: none may be missing, none be too many. */
const incomplete = ({ operations, transactions }: CheckedLedger, read: ReadonlyArray<ReadOperation>) => {
  if (read.length !== operations) return `${read.length} operations, but the ledger counts ${operations}`
  const counts = new Map<string, number>()
  for (const { operation, index } of read) {
    const count = counts.get(operation.transaction_hash) ?? 0
    if (index !== count) return `operation ${operation.id} is not the next of its transaction`
    counts.set(operation.transaction_hash, count + 1)
  }
  if (counts.size !== transactions) return `${counts.size} transactions, but the ledger counts ${transactions}`
  const cut = read.find(
    ({ operation }) => counts.get(operation.transaction_hash) !== operation.transaction.operation_count
  )
  return cut === undefined ? undefined : `transaction ${cut.operation.transaction_hash} lacks operations`
}

/** All operations of a ledger that took effect, in the order in which they did, counted against the ledger. */
export const readOperations = Effect.fn("StellarChain.readOperations")(function* (
  http: HorizonHttp,
  ledger: CheckedLedger
): Effect.fn.Return<ReadonlyArray<ReadOperation>, ChainError> {
  const { number: sequence } = ledger.ref
  const doing = `read the operations of ledger ${sequence}`
  const path = `ledgers/${sequence}/operations`
  const read: Array<ReadOperation> = []
  let cursor = ""
  while (true) {
    const query = { order: "asc", limit: String(pageMax), include_failed: "false", join: "transactions" }
    const answer = yield* http.get(doing, path, cursor === "" ? query : { ...query, cursor })
    const { records } = (yield* decoded(doing, OperationsPage, answer))._embedded
    for (const record of records) {
      const operation = yield* decoded(doing, Operation, record)
      const wrong = fault(sequence, operation)
      if (wrong !== undefined) return yield* inconsistent(doing, wrong)
      if (cursor !== "" && BigInt(operation.id) <= BigInt(cursor)) {
        return yield* inconsistent(doing, `operation ${operation.id} comes after ${cursor}`)
      }
      cursor = operation.id
      read.push({ operation, index: partsOf(operation.id).operation - 1, answer: record })
    }
    if (read.length > ledger.operations || records.length < pageMax) break
  }
  const wrong = incomplete(ledger, read)
  return wrong === undefined ? read : yield* inconsistent(doing, wrong)
})
