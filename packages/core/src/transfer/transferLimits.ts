import type { Change } from "../engine/Change.ts"
import type { Read } from "../engine/Read.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import { usageReads } from "../limit/limitedUsage.ts"
import type { Operation, OperationKind } from "../operation/Operation.ts"
import type { Payee } from "../port/FiatProvider.ts"
import { accountKey, PaidAccount } from "./PaidAccount.ts"
import { payeeOf } from "./transferOrder.ts"

/** What the limits on a transfer to a payee read, as it is accepted. */
export const transferLimitReads = (kind: OperationKind, payee: Payee | null): ReadonlyArray<Read> => [
  ...usageReads(kind),
  ...(payee === null ? [] : [readRecord(PaidAccount, accountKey(payee))])
]

/** What the limits read when the outcome of a transfer is recorded. */
export const transferOutcomeReads = (operation: Operation): ReadonlyArray<Read> =>
  transferLimitReads(operation.kind, payeeOf(operation))

/** Remembers the account that a transfer has settled to, from its first payment on. The command reads `transferOutcomeReads`. */
export const accountPaid = (view: View, operation: Operation): ReadonlyArray<Change> => {
  const payee = payeeOf(operation)
  if (payee === null) return []
  const account = accountKey(payee)
  return view.get(PaidAccount, account) === undefined
    ? [putRecord(PaidAccount, { account, firstPaidAt: view.now })]
    : []
}
