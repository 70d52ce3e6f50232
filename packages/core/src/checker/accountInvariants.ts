import { type FiatAccount, incomingKey } from "../account/FiatAccount.ts"
import { signedDelta } from "../ledger/post.ts"
import type { Amount } from "../money/Amount.ts"
import { wholeOf } from "../operation/movedAmount.ts"
import type { Operation } from "../operation/Operation.ts"
import type { Quote } from "../pricing/Quote.ts"
import { isPlaced } from "../transfer/transferState.ts"
import type { Invariant } from "./Invariant.ts"

/** What an operation brings to a customer's account. */
interface Brought {
  readonly accountId: string
  readonly amount: Amount
  /** The key of the payment that arrived; null for what the tenant moved there. */
  readonly incoming: string | null
}

const broughtBy = ({ amount, details, kind, status }: Operation): Brought | undefined => {
  if (status !== "SETTLED") return undefined
  const accountId = String(details.account_id)
  if (kind === "INTERNAL_TRANSFER") return { accountId, amount, incoming: null }
  const { incoming } = details
  return kind === "ADJUSTMENT" && typeof incoming === "string"
    ? { accountId, amount, incoming: incomingKey(String(details.provider_account_id), incoming) }
    : undefined
}

/** What stands on customers' accounts came there. */
export const customerAccounts: Invariant = {
  name: "accounts",
  rule: "every payment that arrived on an account is booked once, and each account holds what arrived and what was moved there",
  bySubject: () => {
    const brought = new Map<string, Brought>()
    const unbooked = new Map<string, string>()
    const accounts = new Map<string, FiatAccount>()
    const moved = new Map<string, bigint>()
    return {
      operation: (operation) => {
        const one = broughtBy(operation)
        if (one === undefined) return undefined
        brought.set(operation.id, one)
        if (one.incoming !== null) unbooked.set(operation.id, one.incoming)
        return undefined
      },
      all: {
        account: (account) => {
          accounts.set(account.id, account)
          return undefined
        }
      },
      incoming: ({ key, operationId }) => {
        const expected = unbooked.get(operationId)
        unbooked.delete(operationId)
        return expected === key ? undefined : `payment ${key} is booked by operation ${operationId}, which is not of it`
      },
      leg: (leg) => {
        if (!leg.account.startsWith("account:")) return undefined
        const one = brought.get(leg.operationId)
        if (one === undefined || leg.account !== `account:${one.accountId}`)
          return `leg ${leg.postingSeq}/${leg.ordinal} of operation ${leg.operationId} moves ${leg.account}, which it is not of`
        moved.set(leg.operationId, (moved.get(leg.operationId) ?? 0n) + signedDelta(leg))
        return undefined
      },
      finish: () => {
        for (const [id, key] of unbooked) return `operation ${id} books payment ${key}, which is not marked as booked`
        for (const [id, { accountId, amount }] of brought) {
          const account = accounts.get(accountId)
          if (account === undefined) return `operation ${id} is of account ${accountId}, which does not exist`
          const expected = account.currency === amount.currency ? amount.units : 0n
          const made = moved.get(id) ?? 0n
          if (made !== expected)
            return `operation ${id} brings ${expected} to account ${accountId}, its legs bring ${made}`
        }
        return undefined
      }
    }
  }
}

/** Whether an operation is to bring what its quote promised, and at least as much: it is credited by that. */
const isPromised = (
  { details: { floor }, toAmountQuoted: to }: Operation,
  { amountReceived, bindingFloor }: Quote
): boolean =>
  to?.currency === amountReceived.currency &&
  to.units === amountReceived.units &&
  (floor === undefined || floor === bindingFloor.units.toString())

/** A quote is charged once, by the operation that says so. */
export const usedQuotes: Invariant = {
  name: "quotes",
  rule: "every quote is used by at most one operation, which it names, and at its price",
  bySubject: ({ owns }) => {
    const uses = new Map<string, Operation>()
    return {
      all: {
        operation: (operation) => {
          const quoteId = operation.details.quote_id
          if (typeof quoteId !== "string" || !owns(quoteId)) return undefined
          const other = uses.get(quoteId)
          uses.set(quoteId, operation)
          return other === undefined
            ? undefined
            : `operations ${other.id} and ${operation.id} both use quote ${quoteId}`
        }
      },
      quote: (quote) => {
        const { amount, customerFee, id, usedBy } = quote
        const user = uses.get(id)
        uses.delete(id)
        if (user?.id !== (usedBy ?? undefined))
          return `quote ${id} says that operation ${usedBy} used it, the operations say ${user?.id ?? "none"}`
        if (user === undefined) return undefined
        // what arrived for an ON_RAMP and was not what was quoted has a fee of its own
        const atItsPrice = user.kind !== "ON_RAMP" || (!isPlaced(user) && wholeOf(user).units === amount.units)
        return user.amount.units === amount.units &&
          user.amount.currency === amount.currency &&
          (!atItsPrice || (user.customerFee.units === customerFee.units && isPromised(user, quote)))
          ? undefined
          : `operation ${user.id} was not made at the price of quote ${id}`
      },
      finish: () => {
        for (const [id, { id: operationId }] of uses)
          return `operation ${operationId} uses quote ${id}, which does not exist`
        return undefined
      }
    }
  }
}
