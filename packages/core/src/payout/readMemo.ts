import { Result } from "effect"
import { Refusal } from "../base/Refusal.ts"
import type { Network } from "../money/Network.ts"
import type { Memo } from "../port/Chain.ts"

/** The greatest length of a text memo on stellar, in bytes of UTF-8. */
const textBytesMax = 28

/** The greatest id of a memo on stellar: 64 bits. */
const idMax = 2n ** 64n - 1n

const invalid = (message: string): Result.Result<never, Refusal> =>
  Result.fail(new Refusal({ code: "memo_invalid", message }))

/** A memo that says of which type it is. */
const typed = /^(id|hash|return|text):(.*)$/su

const readStellarMemo = (text: string): Result.Result<Memo, Refusal> => {
  const [, type, value = ""] = typed.exec(text) ?? [undefined, "text", text]
  switch (type) {
    case "id":
      return /^(?:0|[1-9][0-9]{0,19})$/u.test(value) && BigInt(value) <= idMax
        ? Result.succeed({ type, value })
        : invalid("A memo id is a whole number of 64 bits.")
    case "hash":
    case "return":
      return /^[0-9a-f]{64}$/u.test(value)
        ? Result.succeed({ type, value })
        : invalid(`A memo ${type} is 32 bytes in lower-case hexadecimal.`)
    default: {
      const bytes = new TextEncoder().encode(value).length
      if (bytes === 0) return invalid("The memo is empty.")
      return bytes <= textBytesMax
        ? Result.succeed({ type: "text", value })
        : invalid(`A text memo has at most ${textBytesMax} bytes; this one has ${bytes}.`)
    }
  }
}

/**
 * Reads the memo of a destination. Stellar alone has memos; one is a text unless it says otherwise in front: `id:42`,
 * `hash:…`, `return:…`, `text:id:42`. The id 1 is not the text "1". A muxed address (`M…`) says itself what a memo would.
 */
export const readMemo = (
  network: Network,
  address: string,
  text: string | null
): Result.Result<Memo | null, Refusal> => {
  if (text === null) return Result.succeed(null)
  if (network !== "stellar") return invalid(`${network} has no memos.`)
  if (address.startsWith("M")) return invalid("A muxed address takes no memo: it names the receiver itself.")
  return readStellarMemo(text)
}

/** A memo as `readMemo` reads it, in its shortest form: a text says that it is one only where it would be read as another memo. */
export const writeMemo = ({ type, value }: Memo): string =>
  type === "text" && !typed.test(value) ? value : `${type}:${value}`
