import { Clock, Effect } from "effect"
import { type Found, found, type OrderReport, unclear, type WireOrder } from "./Profile.ts"

/** How long after an order its trades may be missing in the exchange's lists before somebody has to look. */
const listedWithinMs = 3_600_000

/** What to say of an order that the exchange calls filled while its lists do not show all of its trades: that it is open, for some time. */
export const unlisted = (id: string, { sentAt }: WireOrder): Effect.Effect<Found<OrderReport>> =>
  Effect.map(Clock.currentTimeMillis, (now) =>
    now - sentAt < listedWithinMs
      ? found({ _tag: "Open", id })
      : unclear(`order ${id} is filled, and the exchange does not show all of its trades`)
  )
