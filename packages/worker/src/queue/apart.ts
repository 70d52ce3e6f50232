import type { Timestamp } from "@bursar/core/base/Timestamp"
import { logStorageError, type StorageError } from "@bursar/core/engine/StorageError"
import type { Fenced } from "@bursar/core/port/Leadership"
import { Cause, Clock, Context, Effect } from "effect"

/** What something is about: a part of a log line, and what a failure is remembered by. */
type About = Readonly<Record<string, string>>

/** What was told of a failure. */
interface Told {
  readonly problem: string
  readonly at: Timestamp
}

/** Failures that were told and last, by what they are about. Undefined where each is told. */
const LastingFailures = Context.Reference<Map<string, Told> | undefined>("@bursar/worker/LastingFailures", {
  defaultValue: () => undefined
})

/** Has failures remembered while something runs, so that those that last are told once an hour. */
export const lastingFailuresRemembered = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => Effect.provideService(effect, LastingFailures, new Map()))

/** How often a failure that lasts is told. */
const tellAgainMs = 3_600_000

/** How many failures are remembered. */
const rememberedMax = 10_000

/** Whether a failure is to be told now: it is new, another than before, or was told long ago. */
const isNews = (lasting: Map<string, Told>, about: string, told: Told): boolean => {
  const before = lasting.get(about)
  if (before?.problem === told.problem && told.at - before.at < tellAgainMs) return false
  if (lasting.size >= rememberedMax) lasting.clear()
  lasting.set(about, told)
  return true
}

/** Tells of a problem that lasts: when it is new or another than before, and once an hour. */
export const tellLasting = (about: About, problem: string, tell: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.flatMap(LastingFailures, (lasting) =>
    Effect.flatMap(Clock.currentTimeMillis, (at) =>
      lasting === undefined || isNews(lasting, `problem ${JSON.stringify(about)}`, { problem, at }) ? tell : Effect.void
    )
  )

/**
 * Does something for one of many, such as one tenant: where it fails by a defect, such as a row that somebody has made unreadable, that is told
 * (`job.failed`) with `about`, and the others go on. What fails again and again in the same way is told once an hour. Undefined where it failed.
 */
export const apart = <A, E, R>(about: About, effect: Effect.Effect<A, E, R>): Effect.Effect<A | undefined, E, R> =>
  Effect.flatMap(LastingFailures, (lasting) => {
    const tell = (defect: unknown) => Effect.annotateLogs(Effect.logError("job.failed", Cause.die(defect)), about)
    if (lasting === undefined) return Effect.catchDefect(effect, (defect) => Effect.as(tell(defect), undefined))
    const name = JSON.stringify(about)
    return Effect.tap(effect, () => Effect.sync(() => lasting.delete(name))).pipe(
      Effect.catchDefect((defect) =>
        Effect.flatMap(Clock.currentTimeMillis, (at) =>
          isNews(lasting, name, { problem: String(defect), at }) ? Effect.as(tell(defect), undefined) : Effect.undefined
        )
      )
    )
  })

const storageOf = (about: About): string => `storage ${JSON.stringify(about)}`

/** Tells that the storage has failed in something (`storage.failed`): once until it works again (`storageWorks`), and once an hour. */
export const storageFailed = (about: About, error: StorageError): Effect.Effect<void> =>
  Effect.gen(function* () {
    const lasting = yield* LastingFailures
    const at = yield* Clock.currentTimeMillis
    if (lasting !== undefined && !isNews(lasting, storageOf(about), { problem: "storage", at })) return
    yield* Effect.annotateLogs(logStorageError(error), about)
  })

/** Tells that the storage works again in something, where it was told that it does not (`storage.works_again`). */
export const storageWorks = (about: About): Effect.Effect<void> =>
  Effect.flatMap(LastingFailures, (lasting) =>
    lasting?.delete(storageOf(about)) === true
      ? Effect.annotateLogs(Effect.logInfo("storage.works_again"), about)
      : Effect.void
  )

/**
 * Undefined where the storage fails in something, such as because it is long in reading all that one tenant has: that is told with `about`
 * (`storageFailed`), and what was not written of it comes again.
 */
export const unlessStorageFails = <A, R>(
  about: About,
  effect: Effect.Effect<A, Fenced | StorageError, R>
): Effect.Effect<A | undefined, Fenced, R> =>
  Effect.tap(effect, () => storageWorks(about)).pipe(
    Effect.catchTag("StorageError", (error) => Effect.as(storageFailed(about, error), undefined))
  )
