import type { ChainError } from "@bursar/core/port/Chain"
import type { Payment, Preflight } from "@bursar/core/port/ChainSender"
import { Effect, Result } from "effect"
import { demux, parseStellarAddress } from "../../Address.ts"
import type { CheckedLedger } from "../read/readLedger.ts"
import { memoFault } from "./readMemo.ts"
import { type Account, creationMin, readAccount } from "./readAccount.ts"
import type { SenderContext } from "./SenderContext.ts"

/** Whether a receiver can take a payment, and how: into an account that there is, or by making one. */
export type Receiving =
  | { readonly _tag: "Pay" }
  | { readonly _tag: "Create" }
  | (Preflight & { readonly _tag: "Unpayable" })

const unpayable = (code: (Preflight & { readonly _tag: "Unpayable" })["code"], message: string): Receiving => ({
  _tag: "Unpayable",
  code,
  message
})

const tooLittle = (least: bigint): string => `The account does not exist yet, and takes ${least} stroops to be made.`

const ofNobody = ({ contract, to, units }: Payment, ledger: CheckedLedger): Receiving => {
  if (contract !== null) return unpayable("address_invalid", "There is no such account, and only coin can make one.")
  if (demux(to) !== undefined) {
    return unpayable("address_invalid", "The account of this muxed address does not exist: pay to the account first.")
  }
  const least = creationMin(ledger)
  return units < least
    ? { _tag: "Unpayable", code: "below_minimum", message: tooLittle(least), minimum: least }
    : { _tag: "Create" }
}

const ofAccount = ({ contract, memo, to, units }: Payment, account: Account): Receiving => {
  if (account.memoRequired && memo === null && demux(to) === undefined) {
    return unpayable("memo_required", "This account takes payments only with a memo.")
  }
  if (contract === null) {
    return account.room < units ? unpayable("address_invalid", "The account cannot hold so much.") : { _tag: "Pay" }
  }
  if (contract.endsWith(`:${account.id}`)) return { _tag: "Pay" }
  const line = account.lines.get(contract)
  if (line === undefined) return unpayable("address_invalid", "The account has not agreed to hold this asset.")
  if (!line.authorized) return unpayable("address_invalid", "The issuer does not let the account hold this asset.")
  return line.room < units
    ? unpayable("address_invalid", "The account has agreed to hold no more of this asset.")
    : { _tag: "Pay" }
}

/** Whether and how a receiver can take a payment, as the newest ledger stands. */
export const checkReceiver = Effect.fn("StellarSender.checkReceiver")(function* (
  { http }: SenderContext,
  payment: Payment,
  ledger: CheckedLedger
): Effect.fn.Return<Receiving, ChainError> {
  const parsed = parseStellarAddress(payment.to)
  if (Result.isFailure(parsed)) return unpayable("address_invalid", parsed.failure)
  const wrong = memoFault(payment.to, payment.memo)
  if (wrong !== undefined) return unpayable("memo_invalid", wrong)
  if (payment.units <= 0n) return unpayable("below_minimum", "The amount must be above zero.")
  const account = yield* readAccount(http, demux(payment.to)?.account ?? payment.to, ledger)
  return account === null ? ofNobody(payment, ledger) : ofAccount(payment, account)
})
