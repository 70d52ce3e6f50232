import type { Memo } from "@bursar/core/port/Chain"
import { demux } from "../../StellarAddress.ts"

const textBytesMax = 28
const idMax = 18_446_744_073_709_551_615n
const hash = /^[0-9a-f]{64}$/u
const digits = /^(?:0|[1-9][0-9]{0,19})$/u

const faultOf = ({ type, value }: Memo): string | undefined => {
  if (type === "id") {
    return digits.test(value) && BigInt(value) <= idMax ? undefined : "A memo of type id is a whole number of 64 bits."
  }
  if (type !== "text") return hash.test(value) ? undefined : "A memo of this type is 32 bytes in hexadecimal."
  if (value === "") return "A memo of type text must not be empty."
  return new TextEncoder().encode(value).length <= textBytesMax && value.isWellFormed()
    ? undefined
    : `A memo of type text has at most ${textBytesMax} bytes of UTF-8.`
}

/** What is wrong with a memo for a receiver, or undefined. A muxed address says by itself whom it is for. */
export const memoFault = (to: string, memo: Memo | null): string | undefined => {
  if (memo === null) return undefined
  if (demux(to) !== undefined)
    return "A muxed address (M…) takes no memo: the number in it says whom the payment is for."
  return faultOf(memo)
}
