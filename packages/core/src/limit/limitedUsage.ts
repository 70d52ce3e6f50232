import type { Change } from "../engine/Change.ts"
import type { Read } from "../engine/Read.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import type { Operation, OperationKind } from "../operation/Operation.ts"
import type { TenantPolicy } from "../tenant/Tenant.ts"
import { addUsage, Usage } from "./Usage.ts"

/** The scope of the rolling daily limit on all that is paid out, on chains and through banks alike. */
export const payoutScope = "PAYOUT"

/** The scope of the daily limit on what is paid to new receivers. */
export const newReceiverScope = "PAYOUT_NEW_RECEIVER"

/** The scope of the limit on withdrawals. */
export const withdrawalScope = "WITHDRAWAL"

/** The window of the limits on payouts. */
export const payoutWindowMs = 86_400_000

/** The widest window of withdrawals that a policy may set. */
export const withdrawalWindowHoursMax = 720

const hourMs = 3_600_000

/** The window of the withdrawal limit, in milliseconds. */
export const withdrawalWindowMs = ({ withdrawalWindowHours }: TenantPolicy): number => withdrawalWindowHours * hourMs

/**
 * For how long usage is kept: as long as the widest window that can be set, whatever is set now. So a window that is widened finds
 * what was used within it, and one that is narrowed and widened again has forgotten nothing.
 */
export const usageKeptMs = (scope: string): number =>
  scope === withdrawalScope ? withdrawalWindowHoursMax * hourMs : payoutWindowMs

const scopesOfKind = {
  CHAIN_PAYOUT: [payoutScope, newReceiverScope],
  OFF_RAMP: [payoutScope, newReceiverScope],
  BANK_TRANSFER: [payoutScope, newReceiverScope],
  REFUND: [payoutScope, newReceiverScope],
  WITHDRAWAL: [withdrawalScope],
  DEPOSIT: [],
  SWAP: [],
  ON_RAMP: [],
  INTERNAL_TRANSFER: [],
  REVERSAL: [],
  ADJUSTMENT: []
} as const satisfies Readonly<Record<OperationKind, ReadonlyArray<string>>>

/** What the limits on a kind of operation read. */
export const usageReads = (kind: OperationKind): ReadonlyArray<Read> =>
  scopesOfKind[kind].map((scope) => readRecord(Usage, scope))

/** What an operation counts for, in US cents, as it was priced when it was accepted; undefined where it was not. */
export const centsUsed = ({ details }: Pick<Operation, "details">): bigint | undefined => {
  const { usd_cents: cents } = details
  return cents == null ? undefined : BigInt(cents)
}

/** The scopes that an operation counts in. */
export const scopesOf = ({ details, kind }: Pick<Operation, "details" | "kind">): ReadonlyArray<string> =>
  scopesOfKind[kind].filter((scope) => scope !== newReceiverScope || details.new_address === true)

/**
 * Counts operations that were accepted, or with `-1n` gives back those that failed, at the moment of their acceptance. What was
 * returned after it had left is not given back: it did leave.
 */
export const countUsage = (
  view: View,
  operations: ReadonlyArray<Pick<Operation, "createdAt" | "details" | "kind">>,
  times: 1n | -1n
): ReadonlyArray<Change> => {
  const usages = new Map<string, Usage>()
  for (const operation of operations) {
    const cents = centsUsed(operation)
    if (cents === undefined || cents === 0n) continue
    for (const scope of scopesOf(operation)) {
      const before = usages.get(scope) ?? view.get(Usage, scope)
      const used = { at: operation.createdAt, cents: times * cents }
      usages.set(scope, addUsage(before, scope, used, usageKeptMs(scope), view.now))
    }
  }
  return [...usages.values()].map((usage) => putRecord(Usage, usage))
}
