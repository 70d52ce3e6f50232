import { toIso, type Timestamp } from "@bursar/core/base/Timestamp"
import { logStorageError } from "@bursar/core/engine/StorageError"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { keepSight, PlaceSight } from "@bursar/core/reconciliation/PlaceSight"
import { Queries } from "@bursar/core/store/Queries"
import { Clock, Effect } from "effect"
import { apart, tellLasting } from "../queue/apart.ts"
import { submitFenced } from "../watch/submitFenced.ts"
import { readableOf } from "./leftOut.ts"
import { alarmNotTold, alarmPost } from "./postAlarm.ts"
import type { Recording } from "./Recording.ts"

/** How the looks at some places go. */
export interface Sight {
  /** Their name for operators: a network, or a provider. */
  readonly name: string
  readonly places: ReadonlyArray<string>
  /** When they were last looked at whole, by whichever process; until then, when one first began to look. */
  seenAt: Timestamp
  /** What of that is stored; undefined where nothing is. */
  keptAt: Timestamp | undefined
  /** Why the last look was not whole; undefined where it was. */
  problem: string | undefined
  /** Whether the operators' URL was told that they are not seen. */
  isTold: boolean
}

/** Notes a look at places, with all that has kept it from being whole. */
export const noteLook = (sight: Sight, problems: ReadonlyArray<string>, at: Timestamp): void => {
  const [problem] = problems
  sight.problem = problem
  if (problem !== undefined) return
  sight.seenAt = at
  sight.isTold = false
}

/** Stores when places were looked at, for whoever looks at them next. It is done beside the looks, none of which waits for it. */
export const keepSights = Effect.fn("reconcile.keepSights")(function* (
  { fence }: Recording,
  sights: ReadonlyArray<Sight>
) {
  for (const sight of sights) {
    const { keptAt, name, seenAt } = sight
    if (seenAt === keptAt) continue
    yield* submitFenced(fence, fleetTenantId, keepSight({ name, seenAt }))
    sight.keptAt = seenAt
  }
})

const storedSights = Effect.gen(function* () {
  const { readable } = yield* Queries
  const stored = yield* Effect.flatMap(readable(fleetTenantId, PlaceSight), readableOf)
  return new Map(stored.map(({ name, seenAt }) => [name, seenAt]))
})

/**
 * How looks at places went before this process looks at them. Where that cannot be read they are out of sight from now on, and it is not stored before they
 * are seen.
 */
export const beginSights = Effect.fnUntraced(function* <S extends Pick<Sight, "name" | "places">>(
  subjects: ReadonlyArray<S>
) {
  const now = yield* Clock.currentTimeMillis
  const read = Effect.catchTag(storedSights, "StorageError", (error) => Effect.as(logStorageError(error), undefined))
  const stored = yield* apart({ job: "read when places were seen" }, read)
  return subjects.map((subject) => {
    const { name, places } = subject
    const found = stored?.get(name)
    // one that lies ahead would never be an alarm
    const seenAt = Math.min(found ?? now, now)
    const keptAt = stored === undefined ? now : found
    const sight: Sight = { name, places, seenAt, keptAt, problem: undefined, isTold: false }
    return { subject, sight }
  })
})

/** A place that was not seen whole for that many rounds is unseen at the earliest: one look that fails, or is slow, is no alarm. */
const roundsMin = 3

/**
 * Whether nobody has seen places whole for so long that this is an alarm by itself: as long as a difference there would be open before it is one, from
 * when the next look was due on.
 */
const isUnseen = ({ seenAt }: Sight, { limits: { alarmAfterMs, everyMs } }: Recording, now: Timestamp): boolean =>
  now - seenAt >= Math.max(everyMs + alarmAfterMs, roundsMin * everyMs)

const reasonOf = ({ problem }: Sight): string => problem ?? "no look has ended"

const bodyOf = (sight: Sight): string =>
  JSON.stringify({
    event: "reconciliation.place_unseen",
    place: sight.name,
    places: sight.places,
    since: toIso(sight.seenAt),
    reason: reasonOf(sight)
  })

/**
 * Raises an alarm over places that could not be looked at whole for long, whatever the reason: whoever keeps others from looking could take all there. It is
 * logged (`reconciliation.place_unseen`) at first and once an hour, and posted to the operators' own URL until that answers with 2xx.
 */
export const tellUnseen = Effect.fn("reconcile.tellUnseen")(function* (
  recording: Recording,
  sights: ReadonlyArray<Sight>
) {
  const now = yield* Clock.currentTimeMillis
  const post = yield* alarmPost(recording)
  for (const sight of sights) {
    if (!isUnseen(sight, recording, now)) continue
    const about = { place: sight.name, since: toIso(sight.seenAt) }
    const told = { ...about, reason: reasonOf(sight) }
    yield* tellLasting(about, "unseen", Effect.annotateLogs(Effect.logError("reconciliation.place_unseen"), told))
    if (post === undefined || sight.isTold) continue
    const failure = yield* post(bodyOf(sight))
    if (failure === undefined) sight.isTold = true
    else yield* alarmNotTold({ place: sight.name }, failure)
  }
})
