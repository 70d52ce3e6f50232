import {
  type FeeBumpTransaction,
  type OperationRecord,
  Transaction,
  TransactionBuilder
} from "@stellar/stellar-sdk/base"
import { accountOf } from "./address.ts"
import { withSignedCodes } from "./signedCodes.ts"

/** The transaction that acts, as it was signed. */
export interface Inner {
  /** Hexadecimal. */
  readonly hash: string
  /** The account whose sequence is used, as the transaction names it, muxed or not. */
  readonly source: string
  readonly sequence: bigint
  /** The most it will pay, in stroops. */
  readonly fee: bigint
  readonly operations: ReadonlyArray<OperationRecord>
  readonly signed: Transaction
}

/** A transaction that was handed in, with or without another around it that pays more. */
export interface Submission {
  /** Hexadecimal. */
  readonly hash: string
  /** Base64. */
  readonly envelope: string
  readonly inner: Inner
  /** What pays instead of the transaction itself. */
  readonly bump: { readonly source: string; readonly fee: bigint; readonly signed: FeeBumpTransaction } | undefined
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

const innerOf = (signed: Transaction): Inner => {
  // the SDK copies the transaction each time that it is asked for it
  const { operations } = signed.tx
  return {
    hash: hex(signed.hash()),
    source: signed.source,
    sequence: BigInt(signed.sequence),
    fee: BigInt(signed.fee),
    operations: signed.operations.map((operation, nth) => withSignedCodes(operation, operations[nth])),
    signed
  }
}

/** Reads an envelope in base64; undefined where it is none. */
export const decode = (envelope: string, passphrase: string): Submission | undefined => {
  try {
    const signed = TransactionBuilder.fromXdr(envelope, passphrase)
    if (signed instanceof Transaction) {
      const inner = innerOf(signed)
      return { hash: inner.hash, envelope, inner, bump: undefined }
    }
    return {
      hash: hex(signed.hash()),
      envelope,
      inner: innerOf(signed.innerTransaction),
      bump: { source: signed.feeSource, fee: BigInt(signed.fee), signed }
    }
  } catch {
    return undefined
  }
}

/** The account whose sequence is used. */
export const sourceOf = ({ inner }: Submission): string => accountOf(inner.source)

/** The account that pays the fee. */
export const payerOf = ({ bump, inner }: Submission): string => accountOf(bump?.source ?? inner.source)

/** The most that is paid, in stroops. */
export const feeMaxOf = ({ bump, inner }: Submission): bigint => bump?.fee ?? inner.fee

/** How many operations are paid for: a transaction around another counts as one. */
export const paidOperations = ({ bump, inner }: Submission): bigint =>
  BigInt(inner.operations.length + (bump === undefined ? 0 : 1))
