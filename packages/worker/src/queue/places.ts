import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Semaphore } from "effect"

/** Has work of a tenant wait for a place. */
export type Places = <A, E, R>(tenantId: TenantId, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** So many places, of which no tenant takes more than half: others keep going, however long what one of them waits for takes. */
export const makePlaces = Effect.fnUntraced(function* (most: number) {
  const shared = yield* Semaphore.make(most)
  const own = new Map<TenantId, Semaphore.Semaphore>()
  const placesOf = (tenantId: TenantId) => {
    const places = own.get(tenantId) ?? Semaphore.makeUnsafe(Math.ceil(most / 2))
    own.set(tenantId, places)
    return places
  }
  const places: Places = (tenantId, work) =>
    Effect.suspend(() => Semaphore.withPermit(placesOf(tenantId), Semaphore.withPermit(shared, work)))
  return places
})
