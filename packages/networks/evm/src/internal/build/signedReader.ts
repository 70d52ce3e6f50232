import { Result } from "effect"
import { readUnowned, type UnownedTransaction } from "./SignedTransaction.ts"

/** How many transactions are kept: each that waits is read again every time that it is asked about. */
const keptMax = 10_000

/** Reads signed transactions, but for who signed them; else says why they are none. */
export type SignedReader = (raw: Uint8Array, hash: string) => Result.Result<UnownedTransaction, string>

/** Reads signed transactions, and the same bytes once. */
export const makeSignedReader = (): SignedReader => {
  const kept = new Map<string, { readonly raw: Uint8Array; readonly read: UnownedTransaction }>()
  return (raw, hash) => {
    const there = kept.get(hash)
    if (there !== undefined && Buffer.compare(there.raw, raw) === 0) return Result.succeed(there.read)
    return Result.map(readUnowned(raw), (read) => {
      if (kept.size >= keptMax) kept.clear()
      kept.set(hash, { raw: Uint8Array.from(raw), read })
      return read
    })
  }
}
