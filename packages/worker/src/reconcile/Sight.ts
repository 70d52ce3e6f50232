import { toIso, type Timestamp } from "@bursar/core/base/Timestamp"
import { Clock, Effect } from "effect"
import { tellLasting } from "../queue/apart.ts"
import { alarmNotTold, alarmPost } from "./postAlarm.ts"
import type { Recording } from "./Recording.ts"

/** How the looks at some places go, for as long as this process looks at them. */
export interface Sight {
  /** Their name for operators: a network, or a provider. */
  readonly name: string
  readonly places: ReadonlyArray<string>
  /** When they were last looked at whole; until then, when this process began to look. */
  seenAt: Timestamp
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
