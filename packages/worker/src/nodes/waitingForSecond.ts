import type { Network } from "@bursar/core/money/Network"
import { Effect } from "effect"
import { countDisputed, type DisputeSubject } from "./nodeMetrics.ts"

/** How long nodes may differ, or a second one be behind, before a person is called. */
export const patienceMs = 120_000

/** Questions of which it is remembered since when they wait; the oldest is forgotten first. */
const rememberedMax = 10_000

/** When a question that is not asked any more is forgotten: later than what waits is ever looked at again. */
const forgottenAfterMs = 7_200_000

/** Since when a question waits for a second node, when it was asked last, and whether a person was called. */
interface Wait {
  readonly at: number
  askedAt: number
  told: boolean
}

/** Remembers since when questions wait for a second node. */
export const makeWaiting = () => {
  const since = new Map<string, Wait>()
  /** What is remembered of a question; undefined where it is not asked any more. */
  const waitOf = (key: string, now: number): Wait | undefined => {
    const wait = since.get(key)
    return wait !== undefined && now - wait.askedAt < forgottenAfterMs ? wait : undefined
  }
  return {
    /** Since when it waits: from now on, where it did not yet, or was forgotten. */
    of: (key: string, now: number): Wait => {
      const known = waitOf(key, now) ?? { at: now, askedAt: now, told: false }
      known.askedAt = now
      since.set(key, known)
      const oldest = since.keys().next()
      if (since.size > rememberedMax && oldest.done !== true) since.delete(oldest.value)
      return known
    },
    /** For how long it has waited; 0 where it does not, or was forgotten. */
    waitedMs: (key: string, now: number): number => now - (waitOf(key, now)?.at ?? now),
    /** It waits no more. */
    over: (key: string) => void since.delete(key)
  }
}

/** Calls a person by a line of the log and the metric of disputes, once for each question that waits. */
export const callPerson = Effect.fnUntraced(function* (
  wait: Wait,
  log: Effect.Effect<void>,
  {
    network,
    subject,
    ...fields
  }: { readonly network: Network; readonly subject: DisputeSubject; readonly said: string } & Readonly<
    Record<string, string>
  >
) {
  if (wait.told) return
  wait.told = true
  yield* Effect.annotateLogs(log, { network, ...fields })
  yield* countDisputed(network, subject)
})
