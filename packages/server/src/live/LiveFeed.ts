import { logStorageError } from "@bursar/core/engine/StorageError"
import { NetworkSwitches } from "@bursar/core/port/NetworkSwitches"
import { Heads, type HeadsRead } from "@bursar/core/store/Heads"
import { Queries } from "@bursar/core/store/Queries"
import { WatchState } from "@bursar/core/store/WatchState"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Context, Effect, Layer, Stream } from "effect"
import { eventsSince, type Told } from "./eventsSince.ts"
import { LivePace } from "./LivePace.ts"
import { networksVersion } from "./networksVersion.ts"
import { type Position, topicsBetween } from "./Position.ts"

/** What was new when the heads were read. */
export interface Snapshot extends Told {
  readonly position: Position
  /** Counts up by one: who sees a gap was too slow. */
  readonly nth: number
}

/**
 * How much earlier a commit may bear its moment than one that was seen before it, in milliseconds. Storage lets a process write by a clock that is up
 * to 5 seconds off the database's, either way, and wait up to 20 seconds for the lock; the rest is for what a commit takes.
 */
export const overlapMs = 60_000

/** Of how many tenants that moved the outcomes are read in one go. */
const movedMax = 1_000

/** How many snapshots wait for a stream that is slow. */
const waitingMax = 32

/**
 * What happens in the whole service, read from the heads of the tenants every second while somebody follows, once for all streams of the
 * process. Every process reads the same: none has to tell the others.
 */
export class LiveFeed extends Context.Service<
  LiveFeed,
  {
    /** Begins with how everything is now; then comes what is new. */
    readonly snapshots: Stream.Stream<Snapshot>
    /** The outcomes since a moment, some of which may be a little older. */
    readonly since: (at: number) => Effect.Effect<Told>
  }
>()("@bursar/server/live/LiveFeed") {
  static readonly layer = Layer.effect(
    LiveFeed,
    Effect.gen(function* () {
      const heads = yield* Heads
      const queries = yield* Queries
      const watch = yield* WatchState
      const switches = yield* NetworkSwitches
      const { lookEveryMs } = yield* LivePace

      const positionOf = Effect.fnUntraced(function* ({ actions, commits, deposits, newest, service }: HeadsRead) {
        const networks = networksVersion(yield* watch.statuses, yield* switches.all)
        const versions = { operations: commits, deposits, service, actions, networks }
        // a tenant's time may be ahead of all clocks; what happens to the others comes before it
        return { at: Math.min(newest, yield* Clock.currentTimeMillis), versions } satisfies Position
      })

      /** A look at everything after the look before; undefined where nothing is new. */
      const looking = () => {
        const known = new Map<TenantId, number>()
        let last: Snapshot | undefined
        return Effect.gen(function* () {
          const before = last
          // the first look learns how far each tenant is; of those that the others read again, most are known
          const read = yield* heads.read(
            before === undefined ? 0 : before.position.at - overlapMs,
            Number.MAX_SAFE_INTEGER
          )
          const position = yield* positionOf(read)
          if (before !== undefined && topicsBetween(before.position, position).length === 0) return undefined
          const knownOf = (id: TenantId) => known.get(id) ?? 0
          const moved = read.moved.filter(({ eventId, tenantId }) => eventId > knownOf(tenantId))
          const told: Told =
            before === undefined
              ? { happened: [], missed: false }
              : yield* eventsSince(queries, moved.slice(0, movedMax), { knownOf })
          for (const { eventId, tenantId } of read.moved) known.set(tenantId, eventId)
          last = {
            position,
            happened: told.happened,
            missed: told.missed || (before !== undefined && moved.length > movedMax),
            nth: before === undefined ? 0 : before.nth + 1
          }
          return last
        }).pipe(Effect.catch((error) => Effect.as(logStorageError(error), undefined)))
      }

      const looks = Stream.suspend(() => {
        const look = looking()
        return Stream.mapEffect(Stream.tick(lookEveryMs), () => look)
      }).pipe(Stream.filter((one) => one !== undefined))
      const snapshots = yield* Stream.share(looks, { capacity: waitingMax, strategy: "sliding", replay: 1 })

      return LiveFeed.of({
        snapshots,
        since: Effect.fnUntraced(
          function* (at) {
            const from = at - overlapMs
            const { moved } = yield* heads.read(from, movedMax)
            const told = yield* eventsSince(queries, moved, { from, knownOf: () => 0 })
            // a place that the clocks have not come to, as of one that was ahead then: what happened before it is not read
            const isAhead = from > (yield* Clock.currentTimeMillis)
            return { ...told, missed: told.missed || isAhead || moved.length === movedMax }
          },
          Effect.catch((error) => Effect.as(logStorageError(error), { happened: [], missed: true }))
        )
      })
    })
  )
}
