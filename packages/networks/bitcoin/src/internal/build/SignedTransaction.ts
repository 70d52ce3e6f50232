import { Transaction } from "bitcoinjs-lib"
import type { SignedAttempt } from "@bursar/core/port/ChainSender"
import { sameBytes } from "../rpc/scriptOfAddress.ts"
import { keyOf } from "./unspent.ts"

/** The transaction of some bytes, in its one spelling; undefined where they are none. */
export const decodeTransaction = (bytes: Uint8Array): Transaction | undefined => {
  try {
    const transaction = Transaction.fromBuffer(Uint8Array.from(bytes))
    return sameBytes(transaction.toBuffer(), bytes) ? transaction : undefined
  } catch {
    return undefined
  }
}

/** A hash as it is shown: its bytes in reverse. */
export const shownHash = (hash: Uint8Array): string => Buffer.from(hash.toReversed()).toString("hex")

/** The outputs that a transaction spends, as {@link keyOf} writes them. */
export const spendsOf = (transaction: Transaction): ReadonlyArray<string> =>
  transaction.ins.map(({ hash, index }) => keyOf({ txHash: shownHash(hash), vout: index }))

/** A transaction of ours, read from the bytes that were stored. Throws where they are not those of its hash. */
export const signedTransaction = ({ hash, raw }: Pick<SignedAttempt, "hash" | "raw">): Transaction => {
  const transaction = decodeTransaction(raw)
  if (transaction?.getId() === hash) return transaction
  throw new Error(`the bytes stored for ${hash} are those of ${transaction?.getId() ?? "no transaction"}`)
}

/**
 * What the signatures of a transaction commit to, as bytes. Its id also covers the signatures of inputs that are not segwit, which
 * others can write differently: another id may be the same transaction.
 */
export const intentOf = (transaction: Transaction): string => {
  const plain = transaction.clone()
  plain.stripWitnesses()
  plain.ins.forEach((_, index) => plain.setInputScript(index, new Uint8Array()))
  return plain.toHex()
}
