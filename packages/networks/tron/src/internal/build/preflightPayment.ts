import { unpayable } from "@bursar/network-kit/unpayable"
import type { ChainError } from "@bursar/core/port/Chain"
import type { Payment, Preflight } from "@bursar/core/port/ChainSender"
import { Effect, Result } from "effect"
import { parseTronAddress, toHex } from "../../Address.ts"
import { isBlacklisted } from "./contractCall.ts"
import { readAccount } from "./readAccount.ts"
import { freshHead, type SenderContext } from "./SenderContext.ts"

/** Whether a receiver can take a payment. An account need not be active: a transfer of TRX makes it so, a token does not need it. */
export const preflightPayment = Effect.fn("TronSender.preflight")(function* (
  context: SenderContext,
  { contract, memo, to, units }: Payment
): Effect.fn.Return<Preflight, ChainError> {
  const parsed = parseTronAddress(context.pinned, to)
  if (Result.isFailure(parsed)) return unpayable("address_invalid", parsed.failure)
  if (memo !== null) return unpayable("memo_invalid", "There are no memos on tron.")
  if (units <= 0n) return unpayable("below_minimum", "The amount must be above zero.")
  const receiver = toHex(parsed.success) ?? ""
  yield* freshHead(context)
  if (contract === null) {
    const account = yield* readAccount(context.node, receiver)
    return account?.isContract === true
      ? unpayable("address_invalid", "This is a contract, and contracts take no plain transfer of TRX.")
      : { _tag: "Payable" }
  }
  const token = toHex(contract)
  if (token === undefined) return unpayable("address_invalid", `${contract} is no token on tron.`)
  return (yield* isBlacklisted(context.node, token, receiver))
    ? unpayable("address_invalid", "The issuer of the token has blacklisted this address: what it is sent is frozen.")
    : { _tag: "Payable" }
})
