import type { Change } from "../engine/Change.ts"
import type { Json } from "../engine/Json.ts"
import type { Read } from "../engine/Read.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import { addUsage, type Usage } from "../limit/Usage.ts"
import type { Operation } from "../operation/Operation.ts"

/** The scope of the rolling daily limit on chain payouts. */
export const payoutScope = "CHAIN_PAYOUT"

/** The scope of the daily limit on payouts to new addresses. */
export const newAddressScope = "CHAIN_PAYOUT_NEW_ADDRESS"

/** The window of both limits. */
export const payoutWindowMs = 86_400_000

/** What the limits on chain payouts read. */
export const payoutUsageReads: ReadonlyArray<Read> = [
  readRecord("Usage", payoutScope),
  readRecord("Usage", newAddressScope)
]

/** What an operation counts for, in US cents, as it was priced when it was accepted; undefined where it was not. */
export const centsUsed = ({ details }: Pick<Operation, "details">): bigint | undefined => {
  const cents: Json | undefined = details["usd_cents"]
  return typeof cents === "string" ? BigInt(cents) : undefined
}

/** The scopes that an operation counts in. */
export const scopesOf = ({ details }: Pick<Operation, "details">): ReadonlyArray<string> =>
  details["new_address"] === true ? [payoutScope, newAddressScope] : [payoutScope]

/** Counts operations that were accepted, or with `-1n` gives back those that failed, at the moment of their acceptance. */
export const countPayouts = (
  view: View,
  operations: ReadonlyArray<Pick<Operation, "createdAt" | "details">>,
  times: 1n | -1n
): ReadonlyArray<Change> => {
  const usages = new Map<string, Usage>()
  for (const operation of operations) {
    const cents = centsUsed(operation)
    if (cents === undefined || cents === 0n) continue
    for (const scope of scopesOf(operation)) {
      const before = usages.get(scope) ?? view.record("Usage", scope)
      const used = { at: operation.createdAt, cents: times * cents }
      usages.set(scope, addUsage(before, scope, used, payoutWindowMs, view.now))
    }
  }
  return [...usages.values()].map((usage) => putRecord("Usage", usage))
}
