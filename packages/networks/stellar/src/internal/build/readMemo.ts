import type { Memo } from "@bursar/core/port/Chain"
import { typedMemo } from "@bursar/core/port/MemoText"
import { Result } from "effect"
import { demux } from "../../Address.ts"

/** The greatest length of a text memo, in bytes of UTF-8. */
const textBytesMax = 28

/** The greatest id of a memo: 64 bits. */
const idMax = 2n ** 64n - 1n

/** What is wrong with a memo by itself; undefined where nothing is. */
const faultOf = ({ type, value }: Memo): string | undefined => {
  switch (type) {
    case "id":
      return /^(?:0|[1-9][0-9]{0,19})$/u.test(value) && BigInt(value) <= idMax
        ? undefined
        : "A memo id is a whole number of 64 bits."
    case "hash":
    case "return":
      return /^[0-9a-f]{64}$/u.test(value) ? undefined : `A memo ${type} is 32 bytes in lower-case hexadecimal.`
    case "text": {
      const bytes = new TextEncoder().encode(value).length
      if (bytes === 0) return "The memo is empty."
      if (!value.isWellFormed()) return "The memo is not Unicode."
      return bytes <= textBytesMax ? undefined : `A text memo has at most ${textBytesMax} bytes; this one has ${bytes}.`
    }
  }
}

/** What is wrong with a memo for a canonical receiver; undefined where nothing is. A muxed address (`M…`) says itself what a memo would. */
export const memoFault = (to: string, memo: Memo | null): string | undefined => {
  if (memo === null) return undefined
  return demux(to) === undefined ? faultOf(memo) : "A muxed address takes no memo: it names the receiver itself."
}

/**
 * Reads the memo that goes with a canonical receiver, or says in words why there can be none. It is a text unless it says otherwise in
 * front: `id:42`, `hash:…`, `return:…`, `text:id:42`. The id 1 is not the text "1".
 */
export const readMemo = (to: string, text: string): Result.Result<Memo, string> => {
  const memo: Memo = typedMemo(text) ?? { type: "text", value: text }
  const fault = memoFault(to, memo)
  return fault === undefined ? Result.succeed(memo) : Result.fail(fault)
}
