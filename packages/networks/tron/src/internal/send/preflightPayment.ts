import type { ChainError } from "@bursar/core/port/Chain"
import type { Payment, Preflight } from "@bursar/core/port/ChainSender"
import { Effect, Result } from "effect"
import { parseTronAddress, toHex } from "../../TronAddress.ts"
import { isBlacklisted } from "./constantCall.ts"
import { readAccount } from "./readAccount.ts"
import { freshHead, type Sending } from "./Sending.ts"

const unpayable = (code: (Preflight & { readonly _tag: "Unpayable" })["code"], message: string): Preflight => ({
  _tag: "Unpayable",
  code,
  message
})

/** Whether a receiver can take a payment. An account need not be active: a transfer of TRX makes it so, a token does not need it. */
export const preflightPayment = Effect.fn("TronSender.preflight")(function* (
  sending: Sending,
  { contract, memo, to, units }: Payment
): Effect.fn.Return<Preflight, ChainError> {
  const parsed = parseTronAddress(sending.pinned, to)
  if (Result.isFailure(parsed)) return unpayable("address_invalid", parsed.failure)
  if (memo !== null) return unpayable("memo_invalid", "There are no memos on tron.")
  if (units <= 0n) return unpayable("below_minimum", "The amount must be above zero.")
  const receiver = toHex(parsed.success) ?? ""
  yield* freshHead(sending)
  if (contract === null) {
    const account = yield* readAccount(sending.node, receiver)
    return account?.isContract === true
      ? unpayable("address_invalid", "This is a contract, and contracts take no plain transfer of TRX.")
      : { _tag: "Payable" }
  }
  const token = toHex(contract)
  if (token === undefined) return unpayable("address_invalid", `${contract} is no token on tron.`)
  return (yield* isBlacklisted(sending.node, token, receiver))
    ? unpayable("address_invalid", "The issuer of the token has blacklisted this address: what it is sent is frozen.")
    : { _tag: "Payable" }
})
