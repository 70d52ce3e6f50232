import { createBase58check } from "@scure/base"
import { Result } from "effect"
import { sha256 } from "viem"

const base58check = createBase58check((bytes: Uint8Array) => sha256(bytes, "bytes"))

const hexadecimal = /^41[0-9a-f]{40}$/iu
const base58 = /^T[1-9A-HJ-NP-Za-km-z]{33}$/u
const addressBytes = 21
const prefix = 0x41

/** An address, in base58 or hexadecimal, as the node keeps it: 21 bytes in lower-case hexadecimal, `41…`. */
export const hexOf = (text: unknown): string | undefined => {
  if (typeof text !== "string") return undefined
  if (hexadecimal.test(text)) return text.toLowerCase()
  if (!base58.test(text)) return undefined
  const bytes = Result.getOrUndefined(Result.try(() => base58check.decode(text)))
  return bytes?.length === addressBytes && bytes[0] === prefix ? Buffer.from(bytes).toString("hex") : undefined
}

/** The base58 form of an address in hexadecimal. */
export const base58Of = (hex: string): string => base58check.encode(Buffer.from(hex, "hex"))

/** The address as an answer writes it: base58 where the question was `visible`. */
export const shown = (hex: string, visible: boolean): string => (visible ? base58Of(hex) : hex)
