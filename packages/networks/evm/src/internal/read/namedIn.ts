import { checksummed } from "../../Address.ts"
import { isAddress, type PlacedTransaction, type Receipt } from "../rpc/wire.ts"

/** The most addresses that are taken from one transaction. */
const namedMax = 1_000

/** How much of calldata, and of the data of logs, is looked through, in words of 32 bytes. */
const wordsMax = 4_096

const hexPerWord = 64

/** The address in a word of 32 bytes that begins with twelve empty ones; zero and small numbers are none. */
const addressIn = (word: string): string | undefined =>
  /^0{24}[0-9a-f]{40}$/iu.test(word) && !/^0{48}/u.test(word) ? `0x${word.slice(24)}` : undefined

const wordsOf = (hex: string, from: number): ReadonlyArray<string> => {
  const count = Math.min(wordsMax, Math.floor((hex.length - from) / hexPerWord))
  return Array.from({ length: Math.max(0, count) }, (_, nth) =>
    hex.slice(from + nth * hexPerWord, from + (nth + 1) * hexPerWord)
  )
}

/** After `0x`, and after the four bytes that choose a function. */
const argumentsFrom = 2 + 8

/**
 * The addresses that a transaction names: its parties, those in the topics and data of its logs, and in its arguments. What it pays may
 * be named nowhere, so that nothing is proved by one that is missing.
 */
export const namedIn = (transaction: PlacedTransaction, receipt: Receipt | undefined): ReadonlyArray<string> => {
  const { from, input, to } = transaction
  const logs = receipt?.logs ?? []
  const words = [
    ...logs.flatMap(({ topics }) => topics.slice(1).map((topic) => topic.slice(2))),
    ...logs.slice(0, namedMax).flatMap(({ data }) => wordsOf(data, 2)),
    ...(typeof input === "string" ? wordsOf(input, argumentsFrom) : [])
  ]
  const named = [to, from, receipt?.contractAddress, ...words.map(addressIn)].flatMap((one) =>
    isAddress(one) ? [checksummed(one)] : []
  )
  return [...new Set(named)].slice(0, namedMax)
}
