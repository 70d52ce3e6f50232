import { unpayable } from "@bursar/network-kit/unpayable"
import { Effect, Result } from "effect"
import type { ChainError } from "@bursar/core/port/Chain"
import type { Payment, Preflight } from "@bursar/core/port/ChainSender"
import { parseEvmAddress } from "../../Address.ts"
import type { SenderContext } from "./SenderContext.ts"
import { transferFault } from "./simulate.ts"

/** Accounts that nobody has blocked: if nothing passes between them, it is not for the receiver's sake. */
const [one, another] = ["0x1111111111111111111111111111111111111111", "0x2222222222222222222222222222222222222222"]

/**
 * Whether a receiver can be paid: its address, that no memo is asked for, and for tokens that the issuer has not blocked it.
 *
 * **Details**
 *
 * Blocked is who cannot even move nothing to itself while others can. USDT lets blocked accounts receive, and the money is stuck
 * there; so that counts as unpayable too.
 */
export const preflightPayment = Effect.fnUntraced(function* (
  { contracts, network, reads }: SenderContext,
  { contract, memo, to }: Payment
): Effect.fn.Return<Preflight, ChainError> {
  if (memo !== null) return unpayable("memo_invalid", `Payments on ${network} carry no memo.`)
  const parsed = parseEvmAddress(network, [...contracts.keys()], to)
  if (Result.isFailure(parsed)) return unpayable("address_invalid", parsed.failure)
  if (contract === null) return { _tag: "Payable" }
  const receiver = parsed.success
  const [own, others] = yield* Effect.all(
    [
      transferFault(reads, { contract, from: receiver, to: receiver, units: 0n }),
      transferFault(reads, { contract, from: one, to: another, units: 0n })
    ],
    { concurrency: "unbounded" }
  )
  return own !== undefined && others === undefined
    ? unpayable("address_invalid", "The issuer of the token has blocked this address: what is sent to it is stuck.")
    : { _tag: "Payable" }
})
