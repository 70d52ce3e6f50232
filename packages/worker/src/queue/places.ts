import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Deferred, Effect } from "effect"

/** Has work of a tenant wait for a place. */
export type Places = <A, E, R>(tenantId: TenantId, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** What one tenant has of the places. */
interface Share {
  held: number
  /** Those of its works that wait, in order. */
  readonly waiting: Set<Deferred.Deferred<void>>
}

/**
 * So many places, shared fairly. A tenant takes one only while it holds fewer than are free: half of them where it is alone, and others find some
 * free however many tenants there are before them, and however long what those wait for takes. What is given back goes to the tenant that holds
 * the fewest, and among those to the one that got one longest ago.
 */
export const makePlaces = (most: number): Effect.Effect<Places> =>
  Effect.sync(() => {
    const shares = new Map<TenantId, Share>()
    let free = most

    const next = (): readonly [TenantId, Share] | undefined => {
      let best: readonly [TenantId, Share] | undefined
      for (const entry of shares) {
        const [, { held, waiting }] = entry
        if (waiting.size > 0 && held < free && (best === undefined || held < best[1].held)) best = entry
      }
      return best
    }

    const giveOut = (): void => {
      for (let chosen = next(); chosen !== undefined; chosen = next()) {
        const [tenantId, share] = chosen
        const [first] = share.waiting
        if (first === undefined) return
        share.waiting.delete(first)
        share.held += 1
        free -= 1
        // behind the others from now on
        shares.delete(tenantId)
        shares.set(tenantId, share)
        Deferred.doneUnsafe(first, Effect.void)
      }
    }

    const forget = (tenantId: TenantId, { held, waiting }: Share): void => {
      if (held === 0 && waiting.size === 0) shares.delete(tenantId)
    }

    const giveBack = (tenantId: TenantId, share: Share): void => {
      share.held -= 1
      free += 1
      forget(tenantId, share)
      giveOut()
    }

    const leave = (tenantId: TenantId, share: Share, place: Deferred.Deferred<void>): void => {
      // not waiting any more: it was given one meanwhile
      if (!share.waiting.delete(place)) return giveBack(tenantId, share)
      return forget(tenantId, share)
    }

    return (tenantId, work) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.suspend(() => {
          const share = shares.get(tenantId) ?? { held: 0, waiting: new Set() }
          const place = Deferred.makeUnsafe<void>()
          share.waiting.add(place)
          shares.set(tenantId, share)
          giveOut()
          return restore(Deferred.await(place)).pipe(
            Effect.onInterrupt(() => Effect.sync(() => leave(tenantId, share, place))),
            Effect.andThen(
              Effect.ensuring(
                restore(work),
                Effect.sync(() => giveBack(tenantId, share))
              )
            )
          )
        })
      )
  })
