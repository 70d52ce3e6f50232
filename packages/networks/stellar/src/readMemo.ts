import type { Memo } from "@bursar/core/port/Chain"
import { typedMemo } from "@bursar/core/port/MemoText"
import { Result } from "effect"
import { demux } from "./StellarAddress.ts"

/** The greatest length of a text memo, in bytes of UTF-8. */
const textBytesMax = 28

/** The greatest id of a memo: 64 bits. */
const idMax = 2n ** 64n - 1n

/**
 * Reads the memo that goes with a canonical receiver, or says in words why there can be none. It is a text unless it says otherwise in
 * front: `id:42`, `hash:…`, `return:…`, `text:id:42`. The id 1 is not the text "1". A muxed address (`M…`) says itself what a memo would.
 */
export const readMemo = (to: string, text: string): Result.Result<Memo, string> => {
  if (demux(to) !== undefined) return Result.fail("A muxed address takes no memo: it names the receiver itself.")
  const memo: Memo = typedMemo(text) ?? { type: "text", value: text }
  const { type, value } = memo
  switch (type) {
    case "id":
      return /^(?:0|[1-9][0-9]{0,19})$/u.test(value) && BigInt(value) <= idMax
        ? Result.succeed(memo)
        : Result.fail("A memo id is a whole number of 64 bits.")
    case "hash":
    case "return":
      return /^[0-9a-f]{64}$/u.test(value)
        ? Result.succeed(memo)
        : Result.fail(`A memo ${type} is 32 bytes in lower-case hexadecimal.`)
    case "text": {
      const bytes = new TextEncoder().encode(value).length
      if (bytes === 0) return Result.fail("The memo is empty.")
      return bytes <= textBytesMax
        ? Result.succeed(memo)
        : Result.fail(`A text memo has at most ${textBytesMax} bytes; this one has ${bytes}.`)
    }
  }
}
