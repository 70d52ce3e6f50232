import type { Timestamp } from "../base/Timestamp.ts"
import { defineRecord } from "../engine/Records.ts"

/** How much was used within five minutes, in US cents. */
export interface UsageBucket {
  /** The beginning of the five minutes. */
  readonly from: Timestamp
  readonly cents: bigint
}

/** What a tenant has used of a rolling limit lately. A bucket counts until the window has left all of it. */
export interface Usage {
  /** The limit that it counts for, such as `CHAIN_PAYOUT`. */
  readonly scope: string
  /** Oldest first. */
  readonly buckets: ReadonlyArray<UsageBucket>
}

/** The length of a bucket. */
export const bucketMs = 300_000

const bucketOf = (at: Timestamp): Timestamp => at - (at % bucketMs)

const counts = (bucket: UsageBucket, windowMs: number, now: Timestamp): boolean =>
  bucket.from + bucketMs > now - windowMs

/** What the window before `now` holds, in cents; a bucket that is partly in it counts whole. */
export const usedCents = (usage: Usage | undefined, windowMs: number, now: Timestamp): bigint =>
  (usage?.buckets ?? []).filter((bucket) => counts(bucket, windowMs, now)).reduce((sum, { cents }) => sum + cents, 0n)

/**
 * Adds cents that were used at a moment; below zero they are given back, to the bucket in which they were used. Forgets what
 * no window of `keepMs` before `now` holds any more.
 */
export const addUsage = (
  usage: Usage | undefined,
  scope: string,
  used: { readonly at: Timestamp; readonly cents: bigint },
  keepMs: number,
  now: Timestamp
): Usage => {
  const from = bucketOf(used.at)
  const before = usage?.buckets ?? []
  const there = before.find((bucket) => bucket.from === from)
  const cents = (there?.cents ?? 0n) + used.cents
  return {
    scope,
    buckets: [...before.filter((bucket) => bucket.from !== from), { from, cents }]
      .filter((bucket) => bucket.cents > 0n && counts(bucket, keepMs, now))
      .toSorted((one, other) => one.from - other.from)
  }
}

/** What was used, by limit. */
export const Usage = defineRecord<Usage>({
  name: "Usage",
  key: ({ scope }) => scope,
  traits: { oncePerCommand: true }
})
