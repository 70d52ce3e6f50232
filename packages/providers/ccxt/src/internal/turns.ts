import type { CallTurns } from "@bursar/core/port/CallTurns"
import type { Exchange } from "ccxt"
import { Effect, Redacted } from "effect"
import { createHash } from "node:crypto"
import type { CcxtOptions } from "../CcxtOptions.ts"
import { type CallError, unsent } from "./CallError.ts"

/** How long one call may take, unless the options say otherwise. */
export const timeoutMsDefault = 15_000

/** How much longer than a call may take its turn is held, for what goes on around it. */
const holdBeyondMs = 5_000

/** Kraken takes the calls of a key in the order of their nonces alone. All others date theirs, and take them in any order. */
const isOrdered = ({ exchange }: CcxtOptions, endpoint: string): boolean =>
  exchange === "kraken" && endpoint.startsWith("private")

/** Kraken looks at the nonce before anything else: a call that came out of turn was not carried out. */
export const isOutOfTurn = ({ code, kind }: CallError): boolean => kind === "Answered" && code === "EAPI:Invalid nonce"

/** One key is one row of turns, and nobody reads the key from it. */
const nameOf = ({ credentials, exchange }: CcxtOptions): string => {
  const key = credentials === undefined ? "" : Redacted.value(credentials.apiKey)
  return `${exchange}:${createHash("sha256").update(key).digest("hex")}`
}

/** Makes a call in its turn, with its number, where the exchange orders calls; at once and without one where it does not. */
export const turnsOf = (options: CcxtOptions, turns: CallTurns["Service"] | null) => {
  const name = nameOf(options)
  const holdMs = (options.timeoutMs ?? timeoutMsDefault) + holdBeyondMs
  return <A>(
    endpoint: string,
    call: (number: bigint | null) => Effect.Effect<A, CallError>
  ): Effect.Effect<A, CallError> => {
    if (!isOrdered(options, endpoint)) return call(null)
    if (turns === null) return Effect.fail(unsent(`${endpoint} is called in turn only`))
    return Effect.catchTag(turns.inTurn(name, holdMs, call), "StorageError", (error) =>
      Effect.fail(unsent(`its turn did not come, so it was not sent: ${error.message}`))
    )
  }
}

/**
 * Lets an exchange that orders its calls sign each with the number of its turn. A number is used once: a call that was given up
 * while it waited must not sign with another's.
 */
export const numbers = (exchange: Exchange): { readonly setNumber: (number: bigint) => void } => {
  if (exchange.id !== "kraken") return { setNumber: () => {} }
  let next: bigint | undefined
  exchange.nonce = () => {
    const number = next
    next = undefined
    if (number === undefined) throw new Error("the turn of this call is over")
    return Number(number)
  }
  return { setNumber: (number) => void (next = number) }
}
