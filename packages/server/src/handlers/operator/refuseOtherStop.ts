import type { Timestamp } from "@bursar/core/base/Timestamp"
import { otherStop } from "@bursar/core/payout/switchNetwork"
import { NetworkSwitches } from "@bursar/core/port/NetworkSwitches"
import { Effect } from "effect"
import { orUnavailable, refusalError } from "../../refusals.ts"

/** Refuses to end a stop that is not the one which was given at a moment, before a grant is asked for that would. */
export const refuseOtherStop = Effect.map(NetworkSwitches, (switching) =>
  Effect.fnUntraced(function* (name: string, stoppedAt: Timestamp | undefined) {
    if (stoppedAt === undefined) return
    const all = yield* orUnavailable(switching.all)
    const other = otherStop(
      all.find(({ network }) => network === name),
      stoppedAt
    )
    if (other !== undefined) yield* refusalError(other)
  })
)
