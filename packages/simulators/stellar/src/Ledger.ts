import { hash, xdr } from "@stellar/stellar-sdk/base"
import type { Executed } from "./execute.ts"
import { baseFee, baseReserve, operationsPerLedgerMax, protocolVersion, totalCoins } from "./network.ts"
import type { Accounts } from "./State.ts"

/** A closed ledger. Hashes are hexadecimal, the time is in seconds. */
export interface Ledger {
  readonly sequence: number
  readonly hash: string
  readonly previousHash: string
  readonly time: number
  readonly header: xdr.LedgerHeaderWire
  readonly headerXdr: string
  /** Coin that was paid in fees since the beginning. */
  readonly feePool: bigint
  readonly executed: ReadonlyArray<Executed>
}

/** A ledger with the accounts as they are after it. */
export interface Closed {
  readonly ledger: Ledger
  readonly accounts: Accounts
}

const noHash = new Uint8Array(32)

const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, "hex"))

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

/** The transactions of a ledger as its header commits to them. */
export const transactionSet = (previousHash: string, executed: ReadonlyArray<Executed>): xdr.TransactionSetWire => ({
  previousLedgerHash: bytesOf(previousHash),
  txs: executed.map(({ submission }) => xdr.TransactionEnvelope.fromXdr(submission.envelope, "base64").toXdrObject())
})

/** A transaction with its result, as the header commits to it. */
export const resultPair = ({ result, submission }: Executed): xdr.TransactionResultPairWire => ({
  transactionHash: bytesOf(submission.hash),
  result
})

const digest = (value: { readonly toXdr: () => Uint8Array }): Uint8Array => hash(value.toXdr())

/**
 * Closes a ledger over its parent. Its hash is the SHA-256 of its header, which commits to the parent, the transactions,
 * their results, and in place of the whole state to every change since the beginning.
 */
export const seal = (parent: Ledger | undefined, time: number, executed: ReadonlyArray<Executed>): Ledger => {
  const previousHash = parent?.hash ?? hexOf(noHash)
  const sequence = (parent?.sequence ?? 0) + 1
  const feePool = executed.reduce((sum, { feeCharged }) => sum + feeCharged, parent?.feePool ?? 0n)
  const changes = executed.flatMap(({ feeMetaXdr, metaXdr }) => [feeMetaXdr, metaXdr]).join("")
  const header: xdr.LedgerHeaderWire = {
    ledgerVersion: protocolVersion,
    previousLedgerHash: bytesOf(previousHash),
    scpValue: {
      txSetHash: digest(xdr.TransactionSet.fromXdrObject(transactionSet(previousHash, executed))),
      closeTime: BigInt(time),
      upgrades: [],
      ext: { v: 0 }
    },
    txSetResultHash: digest(xdr.TransactionResultSet.fromXdrObject({ results: executed.map(resultPair) })),
    bucketListHash: hash(`${hexOf(parent?.header.bucketListHash ?? noHash)}${changes}`),
    ledgerSeq: sequence,
    totalCoins,
    feePool,
    inflationSeq: 0,
    idPool: 0n,
    baseFee: Number(baseFee),
    baseReserve: Number(baseReserve),
    maxTxSetSize: operationsPerLedgerMax,
    skipList: [noHash, noHash, noHash, noHash],
    ext: { v: 0 }
  }
  const encoded = xdr.LedgerHeader.fromXdrObject(header).toXdr()
  return {
    sequence,
    hash: hexOf(hash(encoded)),
    previousHash,
    time,
    header,
    headerXdr: Buffer.from(encoded).toString("base64"),
    feePool,
    executed
  }
}
