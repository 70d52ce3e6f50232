import { adjustmentScope, adjustmentWindowMs } from "../adjustment/requestAdjustment.ts"
import {
  centsUsed,
  newReceiverScope,
  payoutScope,
  scopesOf,
  usageKeptMs,
  withdrawalScope
} from "../limit/limitedUsage.ts"
import { bucketMs, type UsageBucket } from "../limit/Usage.ts"
import type { Operation } from "../operation/Operation.ts"
import type { Invariant } from "./Invariant.ts"

const scopes: ReadonlySet<string> = new Set([payoutScope, newReceiverScope, withdrawalScope, adjustmentScope])

const keptMs = (scope: string): number => (scope === adjustmentScope ? adjustmentWindowMs : usageKeptMs(scope))

/** An adjustment that an operator made alone. */
const isMadeAlone = ({ details, kind }: Operation): boolean =>
  kind === "ADJUSTMENT" && details.made_by !== undefined && details.approved_by === null

/** What counts against limits is what was accepted and has not failed. */
export const usageCounters: Invariant = {
  name: "usage",
  rule: "the counters of every limit are the worth of the operations that count in it, which were accepted and have not failed, at the moment of their acceptance: no more, and no less within the longest window",
  run: ({ head }) => {
    const worth = new Map<string, bigint>()
    /** Where an operation counts whose record does not say how much: it is older than that. */
    const untold = new Set<string>()
    const counted = new Map<string, ReadonlyArray<UsageBucket>>()
    return {
      operation: (operation) => {
        const { createdAt, status } = operation
        const from = createdAt - (createdAt % bucketMs)
        const alone = isMadeAlone(operation)
        const cents = status === "FAILED" ? undefined : centsUsed(operation)
        if (alone && cents === undefined) untold.add(`${adjustmentScope}|${from}`)
        if (cents === undefined || cents === 0n) return undefined
        for (const scope of alone ? [adjustmentScope] : scopesOf(operation)) {
          const key = `${scope}|${from}`
          worth.set(key, (worth.get(key) ?? 0n) + cents)
        }
        return undefined
      },
      usage: ({ buckets, scope }) => {
        if (!scopes.has(scope)) return undefined
        counted.set(scope, buckets)
        for (const { cents, from } of buckets) {
          const key = `${scope}|${from}`
          const made = worth.get(key) ?? 0n
          if (untold.has(key) ? cents < made : made !== cents)
            return `usage ${scope} counts ${cents} cents from ${new Date(from).toISOString()} on where the operations come to ${made}`
        }
        return undefined
      },
      finish: () => {
        for (const [key, cents] of worth) {
          const [scope = "", from = ""] = key.split("|")
          // what no window that can be set holds any more may be forgotten
          if (Number(from) + bucketMs <= head.lastAt - keptMs(scope)) continue
          if (counted.get(scope)?.some((bucket) => bucket.from === Number(from)) !== true)
            return `usage ${scope} misses ${cents} cents from ${new Date(Number(from)).toISOString()} on`
        }
        return undefined
      }
    }
  }
}
