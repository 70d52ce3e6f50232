import { storable } from "@bursar/core/base/storable"
import type { Memo } from "@bursar/core/port/Chain"
import { Result } from "effect"
import type { TransactionMemo } from "../rpc/wire.ts"
import { memoText } from "./memoText.ts"

const bytesOf = (base64: string): Result.Result<Uint8Array, string> =>
  Result.try({
    try: () => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)),
    catch: () => `its memo_bytes or memo, ${base64}, are not base64`
  })

const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

/**
 * The memo of a transaction, or in words why it cannot be read. A text is read as `memoText` reads it.
 */
export const memoOf = ({
  memo,
  memo_bytes: bytes,
  memo_type: type
}: TransactionMemo): Result.Result<Memo | null, string> => {
  if (type === "none") return Result.succeed(null)
  const value = memo ?? ""
  if (type === "id") return Result.succeed({ type, value })
  if (type !== "text") return Result.map(bytesOf(value), (read) => ({ type, value: hexOf(read) }))
  if (bytes == null) return Result.succeed({ type, value: storable(value) })
  return Result.map(bytesOf(bytes), (read) => ({ type, value: memoText(read) }))
}
