import type { LiveEvent } from "@bursar/api/operator/LiveGroup"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Stream } from "effect"
import type { TenantEvent } from "../../../live/eventsSince.ts"
import type { LiveFeed, Snapshot } from "../../../live/LiveFeed.ts"
import { type Position, topicsBetween, writePosition } from "../../../live/Position.ts"
import { eventToWire } from "../../events/events.ts"

/** What a stream has told so far. */
interface Telling {
  readonly nth: number
  readonly position: Position
}

/** How a stream begins: where its client was, if it says so. */
export interface Beginning {
  /** Null where it says nothing, undefined where what it says cannot be read. */
  readonly from: Position | null | undefined
  readonly slugOf: (id: TenantId) => Effect.Effect<string>
}

/** What a feed says, as the events of one stream. */
export const tell = (feed: LiveFeed["Service"], { from, slugOf }: Beginning): Stream.Stream<LiveEvent> => {
  const happenedToWire = (id: string, told: ReadonlyArray<TenantEvent>) =>
    Effect.forEach(told, ({ event, tenantId }) =>
      Effect.map(slugOf(tenantId), (tenant) => ({
        id,
        event: "happened" as const,
        data: { tenant_id: tenantId, tenant, happened: eventToWire(event) }
      }))
    )

  /** The first event says what changed since the client was here; without a place to go on from, nothing did. */
  const begin = Effect.fnUntraced(function* ({ position }: Snapshot) {
    const id = writePosition(position)
    const before = from ?? position
    const topics = topicsBetween(before, position)
    const told =
      from === null || topics.length === 0
        ? { happened: [], missed: false }
        : from === undefined
          ? { happened: [], missed: true }
          : yield* feed.since(before.at)
    const changed = { id, event: "changed" as const, data: { topics, missed: told.missed || from === undefined } }
    return [changed, ...(yield* happenedToWire(id, told.happened))]
  })

  const goOn = Effect.fnUntraced(function* (telling: Telling, { happened, missed, nth, position }: Snapshot) {
    if (nth !== telling.nth + 1) return [{ event: "ended" as const, data: { reason: "behind" as const } }]
    const id = writePosition(position)
    const topics = topicsBetween(telling.position, position)
    const changed = { id, event: "changed" as const, data: { topics, missed } }
    return [...(yield* happenedToWire(id, happened)), changed]
  })

  return Stream.mapAccumEffect(
    feed.snapshots,
    (): Telling | undefined => undefined,
    (telling, snapshot) =>
      Effect.map(
        telling === undefined ? begin(snapshot) : goOn(telling, snapshot),
        (events: ReadonlyArray<LiveEvent>) => [{ nth: snapshot.nth, position: snapshot.position }, events] as const
      )
  )
}
