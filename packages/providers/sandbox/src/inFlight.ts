import { type ProviderResult, refused, unknown } from "@bursar/core/port/ProviderResult"
import { Clock, Effect } from "effect"

/** No order is under way for longer: one that the sandbox does not know by then was never taken. */
const absentAfterMs = 60_000

/** For how long after its intent was recorded an order is taken: well before its absence counts. */
const takenWithinMs = absentAfterMs / 4

/** Whether an order that is not known comes too late to be taken. */
export const isTooOld = (sentAt: number): Effect.Effect<boolean> =>
  Effect.map(Clock.currentTimeMillis, (now) => now - sentAt > takenWithinMs)

/** What it says of an order that the sandbox does not know. One whose acceptance was seen is never denied. */
export const answerOfAbsence = (
  sentAt: number,
  providerReference: string | null
): Effect.Effect<ProviderResult<never>> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    if (providerReference !== null) return unknown("the sandbox took the order and does not know it any more")
    return now - sentAt > absentAfterMs
      ? refused("the sandbox never took the order")
      : unknown("the sandbox does not know the order yet")
  })
