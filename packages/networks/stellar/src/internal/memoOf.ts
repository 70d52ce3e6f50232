import type { Memo } from "@bursar/core/port/Chain"
import type { TransactionMemo } from "./wire.ts"

const bytesOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))

/** The memo of a transaction. Bytes that are no UTF-8 read as the replacement character, as Horizon shows them. */
export const memoOf = ({ memo, memo_bytes: bytes, memo_type: type }: TransactionMemo): Memo | null => {
  if (type === "none") return null
  const value = memo ?? ""
  if (type === "id") return { type, value }
  if (type === "text") return { type, value: bytes == null ? value : new TextDecoder().decode(bytesOf(bytes)) }
  return { type, value: Array.from(bytesOf(value), (byte) => byte.toString(16).padStart(2, "0")).join("") }
}
