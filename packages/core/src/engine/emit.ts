import type { Change } from "./Change.ts"
import type { Json } from "../base/Json.ts"
import type { View } from "./View.ts"
import type { EventKind } from "../event/Event.ts"

/** An event of the feed, with the tenant's next id. */
export const emit = (
  view: View,
  kind: EventKind,
  resourceId: string,
  data: { readonly [key: string]: Json }
): Change => ({
  _tag: "EventEmitted",
  event: { id: view.nextEventId(), kind, resourceId, occurredAt: view.now, data }
})
