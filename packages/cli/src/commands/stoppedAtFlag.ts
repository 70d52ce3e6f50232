import { Flag } from "effect/cli"

/** Which stop a resumption ends: whoever says it ends no other one that was given meanwhile. */
export const stoppedAtFlag = {
  stoppedAt: Flag.String("stopped-at").pipe(
    Flag.withDescription(
      "When the stop that you end was given, as the list of stops shows it: if another stop stands there by now, nothing is resumed"
    ),
    Flag.optional
  )
}
