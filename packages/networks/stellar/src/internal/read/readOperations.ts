import type { ChainError } from "@bursar/core/port/Chain"
import { Effect, Result } from "effect"
import type { HorizonHttp } from "../rpc/Rpc.ts"
import { decoded, inconsistent, readable } from "../rpc/NodeAnswer.ts"
import type { CheckedLedger } from "./readLedger.ts"
import { readPages } from "./readPages.ts"
import { readSigned, type Signed } from "./signed.ts"
import { partsOf } from "./toid.ts"
import { Operation, Transaction, TransactionEnvelope } from "../rpc/wire.ts"

/** A transaction of a ledger, and all that the node said of it. */
interface ReadTransaction {
  readonly transaction: Transaction
  readonly answer: unknown
  readonly signed: () => Signed | undefined
}

/** An operation with its place in its transaction, counted from 0, and all that the node said of both. */
export interface ReadOperation {
  readonly operation: Operation
  readonly index: number
  readonly answer: unknown
  readonly transactionAnswer: unknown
  /** What was signed for its transaction, which is read at the first call; undefined where it cannot be. */
  readonly signed: () => Signed | undefined
}

/** The hash under which an operation's transaction was signed, where the network lists it under that of another that bids for it. */
export const innerHashOf = ({ operation, signed }: ReadOperation): { readonly innerHash?: string } => {
  const [outer, inner] = signed()?.hashes() ?? []
  return inner === undefined || outer !== operation.transaction_hash ? {} : { innerHash: inner }
}

/** Reads the envelope of a transaction when it is first asked for, once. */
const signedIdempotent = (networkPassphrase: string, answer: unknown): (() => Signed | undefined) => {
  let read: { readonly signed: Signed | undefined } | undefined
  return () => {
    read ??= {
      signed: Result.match(readable(TransactionEnvelope, answer), {
        onFailure: () => undefined,
        onSuccess: ({ envelope_xdr }) => readSigned(networkPassphrase, envelope_xdr)
      })
    }
    return read.signed
  }
}

/** What is wrong with an operation by itself, or undefined. */
const fault = (sequence: number, { id, transaction_successful }: Operation) => {
  if (partsOf(id).ledger !== sequence) return `operation ${id} is not of ledger ${sequence}`
  if (partsOf(id).operation === 0) return `${id} is not the number of an operation`
  return transaction_successful ? undefined : `operation ${id} failed, and was not asked for`
}

/** What is wrong with the operations as a whole, or undefined: none may be missing, none be too many. */
const incomplete = (
  { operations, transactions }: CheckedLedger,
  read: ReadonlyArray<Pick<ReadOperation, "index" | "operation">>,
  known: ReadonlyMap<string, ReadTransaction>
) => {
  if (read.length !== operations) return `${read.length} operations, but the ledger counts ${operations}`
  const counts = new Map<string, number>()
  for (const { operation, index } of read) {
    const count = counts.get(operation.transaction_hash) ?? 0
    if (index !== count) return `operation ${operation.id} is not the next of its transaction`
    counts.set(operation.transaction_hash, count + 1)
  }
  if (counts.size !== transactions) return `${counts.size} transactions, but the ledger counts ${transactions}`
  for (const [hash, count] of counts) {
    const transaction = known.get(hash)?.transaction
    if (transaction === undefined) return `transaction ${hash} is not one of the ledger`
    if (transaction.operation_count !== count) return `transaction ${hash} lacks operations`
  }
  return undefined
}

/** The transactions of a ledger that took effect, by their hash. */
const readTransactions = Effect.fnUntraced(function* (
  http: HorizonHttp,
  networkPassphrase: string,
  ledger: CheckedLedger
) {
  const { number: sequence } = ledger.ref
  const doing = `read the transactions of ledger ${sequence}`
  const read = yield* readPages(http, {
    doing,
    path: `ledgers/${sequence}/transactions`,
    count: ledger.transactions,
    read: Effect.fnUntraced(function* (answer) {
      const transaction = yield* decoded(doing, Transaction, answer)
      const { hash, paging_token: id, successful } = transaction
      if (partsOf(id).ledger !== sequence) return yield* inconsistent(doing, `${hash} is not of ledger ${sequence}`)
      if (!successful) return yield* inconsistent(doing, `transaction ${hash} failed, and was not asked for`)
      const signed = signedIdempotent(networkPassphrase, answer)
      return { id, value: { transaction, answer, signed } satisfies ReadTransaction }
    })
  })
  if (read.length !== ledger.transactions)
    return yield* inconsistent(doing, `${read.length} transactions, but the ledger counts ${ledger.transactions}`)
  return new Map(read.map((one) => [one.transaction.hash, one]))
})

/**
 * All operations of a ledger that took effect, in the order in which they did, counted against the ledger and against their
 * transactions, each of which is read once.
 */
export const readOperations = Effect.fn("StellarReader.readOperations")(function* (
  http: HorizonHttp,
  networkPassphrase: string,
  ledger: CheckedLedger
): Effect.fn.Return<ReadonlyArray<ReadOperation>, ChainError> {
  const { number: sequence } = ledger.ref
  const doing = `read the operations of ledger ${sequence}`
  const read = yield* readPages(http, {
    doing,
    path: `ledgers/${sequence}/operations`,
    count: ledger.operations,
    read: Effect.fnUntraced(function* (answer) {
      const operation = yield* decoded(doing, Operation, answer)
      const wrong = fault(sequence, operation)
      if (wrong !== undefined) return yield* inconsistent(doing, wrong)
      return { id: operation.id, value: { operation, index: partsOf(operation.id).operation - 1, answer } }
    })
  })
  const transactions = yield* readTransactions(http, networkPassphrase, ledger)
  const wrong = incomplete(ledger, read, transactions)
  if (wrong !== undefined) return yield* inconsistent(doing, wrong)
  return read.flatMap((one) => {
    const transaction = transactions.get(one.operation.transaction_hash)
    // None is missing: that was counted.
    if (transaction === undefined) return []
    return [{ ...one, transactionAnswer: transaction.answer, signed: transaction.signed }]
  })
})
