import { Transaction } from "bitcoinjs-lib"
import { sameBytes } from "../scriptOfAddress.ts"

/** The transaction of some bytes, in its one spelling; undefined where they are none. */
export const decodeTransaction = (bytes: Uint8Array): Transaction | undefined => {
  try {
    const transaction = Transaction.fromBuffer(Uint8Array.from(bytes))
    return sameBytes(transaction.toBuffer(), bytes) ? transaction : undefined
  } catch {
    return undefined
  }
}
