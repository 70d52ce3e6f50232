import { typedMemo } from "@bursar/core/port/MemoText"
import { demux, muxed } from "../../Address.ts"
import { memoFault } from "./readMemo.ts"

/**
 * The muxed address that stands for a canonical account with a memo: a number says the same as one that is in the address, also where the memo does not
 * name its type. Undefined where the memo is no such number, or the address is muxed itself.
 */
export const partOf = (account: string, memo: string): string | undefined => {
  const { type, value } = typedMemo(memo) ?? { type: "id", value: memo }
  const isNumber = type === "id" && demux(account) === undefined && memoFault(account, { type, value }) === undefined
  return isNumber ? muxed(account, BigInt(value)) : undefined
}
