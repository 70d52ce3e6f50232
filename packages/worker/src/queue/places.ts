import type { Timestamp } from "@bursar/core/base/Timestamp"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Deferred, Effect } from "effect"

/** Has work of a tenant wait for a place. */
export type Places = <A, E, R>(tenantId: TenantId, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** A place that a work was given. */
interface Held {
  readonly since: Timestamp
}

/** What one tenant has of the places. */
interface Share {
  /** The longest held first. */
  readonly held: Set<Held>
  /** Those of its works that wait, in order. */
  readonly waiting: Set<Deferred.Deferred<Held>>
}

/** For how long a work keeps a place from others who wait for one: longer than nodes and providers take that answer at all. */
export const heldMsMost = 30_000

/**
 * So many places, shared fairly. A tenant takes one only while it holds fewer than are free: half of them where it is alone, and others find some
 * free as long as there are more places than tenants who hold some. What is given back goes to the tenant that holds the fewest, and among those to
 * the one that got one longest ago. A work that holds a place for very long goes on without it where others wait: many tenants of whom each waits
 * for a node that does not answer keep nobody else from working.
 */
export const makePlaces = (most: number, heldMs: number = heldMsMost): Effect.Effect<Places> =>
  Effect.sync(() => {
    const shares = new Map<TenantId, Share>()
    let free = most

    const next = (): readonly [TenantId, Share] | undefined => {
      let best: readonly [TenantId, Share] | undefined
      for (const entry of shares) {
        const [, { held, waiting }] = entry
        if (waiting.size > 0 && held.size < free && (best === undefined || held.size < best[1].held.size)) best = entry
      }
      return best
    }

    const giveOut = (now: Timestamp): void => {
      for (let chosen = next(); chosen !== undefined; chosen = next()) {
        const [tenantId, share] = chosen
        const [first] = share.waiting
        if (first === undefined) return
        const place: Held = { since: now }
        share.waiting.delete(first)
        share.held.add(place)
        free -= 1
        // behind the others from now on
        shares.delete(tenantId)
        shares.set(tenantId, share)
        Deferred.doneUnsafe(first, Effect.succeed(place))
      }
    }

    const forget = (tenantId: TenantId, { held, waiting }: Share): void => {
      if (held.size === 0 && waiting.size === 0) shares.delete(tenantId)
    }

    /** Nothing where it was taken away before. */
    const giveBack = (tenantId: TenantId, share: Share, place: Held): void => {
      if (!share.held.delete(place)) return
      free += 1
      forget(tenantId, share)
    }

    const takeAwayHeldLong = (now: Timestamp): void => {
      for (const [tenantId, share] of shares)
        for (const place of share.held) {
          if (now - place.since < heldMs) break
          giveBack(tenantId, share, place)
        }
    }

    /** Waits for a place. Whoever waits long looks for places that are held too long. */
    const given = (wanted: Deferred.Deferred<Held>): Effect.Effect<Held> =>
      Effect.suspend(() => {
        const looks = Effect.andThen(
          Effect.sleep(heldMs),
          Effect.map(Clock.currentTimeMillis, (now) => {
            takeAwayHeldLong(now)
            giveOut(now)
          })
        )
        const place = Deferred.await(wanted)
        return Deferred.isDoneUnsafe(wanted) ? place : Effect.raceFirst(place, Effect.forever(looks))
      })

    return (tenantId, work) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const share = shares.get(tenantId) ?? { held: new Set(), waiting: new Set() }
          const wanted = Deferred.makeUnsafe<Held>()
          share.waiting.add(wanted)
          shares.set(tenantId, share)
          giveOut(now)
          const givenBack = (place: Held) =>
            Effect.map(Clock.currentTimeMillis, (then) => {
              giveBack(tenantId, share, place)
              giveOut(then)
            })
          const left = Effect.suspend(() => {
            // not waiting any more: it was given one meanwhile
            if (!share.waiting.delete(wanted)) return Effect.flatMap(Deferred.await(wanted), givenBack)
            return Effect.sync(() => forget(tenantId, share))
          })
          return Effect.flatMap(
            Effect.onInterrupt(restore(given(wanted)), () => left),
            (place) => Effect.ensuring(restore(work), givenBack(place))
          )
        })
      )
  })
