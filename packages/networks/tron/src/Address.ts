import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"
import { createBase58check } from "@scure/base"
import { Result } from "effect"

const base58check = createBase58check(sha256)

const prefix = 0x41
const addressBytes = 21
const addressChars = 34

const base58 = /^[1-9A-HJ-NP-Za-km-z]+$/u
const hexadecimal = /^(?:0x)?(?:41)?[0-9a-f]{40}$/iu

/** The base58 form of 21 bytes in hexadecimal (`41…`, as nodes write them) that are known to be well formed. */
export const fromHex = (hex: string): string => base58check.encode(hexToBytes(hex))

/** The base58 form of an address of the virtual machine: 20 bytes in hexadecimal, without the prefix. */
export const fromEvmHex = (hex: string): string => fromHex(`41${hex}`)

/** The 21 bytes of an address in hexadecimal (`41…`), or undefined when the text is no address in base58. */
export const toHex = (text: string): string | undefined => {
  if (text.length !== addressChars || !base58.test(text)) return undefined
  const bytes = Result.getOrUndefined(Result.try(() => base58check.decode(text)))
  return bytes?.length === addressBytes && bytes[0] === prefix ? bytesToHex(bytes) : undefined
}

const zero = `41${"0".repeat(40)}`

/**
 * The canonical form of an address that may receive, or in words why it is none.
 *
 * **Details**
 *
 * Only base58 is accepted: 34 characters, the prefix `T`, a valid checksum. Letters keep their case. Refused besides: the
 * hexadecimal form, the zero address, and the pinned token contracts (`contracts`), which would swallow what is sent to them.
 */
export const parseTronAddress = (contracts: ReadonlyArray<string>, text: string): Result.Result<string, string> => {
  if (hexadecimal.test(text)) return Result.fail("Hexadecimal addresses are not accepted: use the base58 form (T…).")
  if (text.length !== addressChars || !base58.test(text)) {
    return Result.fail("This is not an address on tron: 34 characters of base58, beginning with T, are expected.")
  }
  const hex = toHex(text)
  if (hex === undefined) {
    return Result.fail(
      text.startsWith("T")
        ? "The checksum of the address is wrong: a character was mistyped, or a letter has the wrong case."
        : "This is not an address on tron: those begin with T."
    )
  }
  if (hex === zero) return Result.fail("The zero address cannot receive: what is sent to it is lost.")
  if (contracts.includes(text)) {
    return Result.fail("This is the address of a token contract, not of an account: what is sent to it is lost.")
  }
  return Result.succeed(text)
}
