import { assetPlaceOf, isWithProvider } from "../operation/assetPlace.ts"
import type { Amount } from "../money/Amount.ts"
import { reservationKey } from "../operation/AssetReservation.ts"
import type { Account } from "../ledger/Account.ts"
import { operationsOf } from "../transaction/OutboundTransaction.ts"
import type { Invariant } from "./Invariant.ts"

/** What is reserved of a place is what operations in flight take from it. */
export const reservations: Invariant = {
  name: "reservations",
  rule: "what is reserved of every place is what the operations and transactions take that were sent, or are about to be, and are not over",
  run: () => {
    const taken = new Map<string, bigint>()
    const inTransactions = new Map<string, Account>()
    const take = (account: Account, { currency, units }: Amount): void => {
      const key = reservationKey({ account, currency })
      taken.set(key, (taken.get(key) ?? 0n) + units)
    }
    return {
      operation: (operation) => {
        const place = assetPlaceOf(operation)
        if (place !== undefined && isWithProvider(operation)) take(place, operation.amount)
        return undefined
      },
      transaction: (transaction) => {
        if (transaction.phase !== "FINAL")
          for (const id of operationsOf(transaction)) inTransactions.set(id, `chain:${transaction.network}:payouts`)
        return undefined
      },
      payout: (payout) => {
        const place = inTransactions.get(payout.operationId)
        if (place !== undefined) take(place, payout)
        return undefined
      },
      reservation: (reservation) => {
        const key = reservationKey(reservation)
        const expected = taken.get(key) ?? 0n
        taken.delete(key)
        return reservation.units === expected
          ? undefined
          : `${reservation.units} are reserved of ${key}, what is in flight takes ${expected}`
      },
      finish: () => {
        for (const [key, units] of taken)
          if (units !== 0n) return `0 are reserved of ${key}, what is in flight takes ${units}`
        return undefined
      }
    }
  }
}
