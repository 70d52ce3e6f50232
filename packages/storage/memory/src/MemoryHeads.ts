import { fleetTenantId } from "@bursar/core/grant/Grant"
import { Heads } from "@bursar/core/store/Heads"
import { Effect, Layer } from "effect"
import { Store } from "./Store.ts"

/** How far all tenants have come, in memory. */
export const layer = Layer.effect(
  Heads,
  Effect.map(Store, (state) =>
    Heads.of({
      read: (movedSince, limit) =>
        Effect.sync(() => {
          const heads = [...state.tenants].flatMap(([id, { head }]) => (id === fleetTenantId ? [] : [{ id, head }]))
          const sum = (of: (head: (typeof heads)[number]["head"]) => number): bigint =>
            heads.reduce((total, { head }) => total + BigInt(of(head)), 0n)
          const busy = heads.filter(({ head }) => head.eventId + head.postingSeq + head.changeSeq > 0)
          return {
            commits: [
              sum(({ eventId }) => eventId),
              sum(({ postingSeq }) => postingSeq),
              sum(({ lastAt }) => lastAt)
            ].join("."),
            deposits: String(sum(({ changeSeq }) => changeSeq)),
            service: String(state.tenants.get(fleetTenantId)?.head.lastAt ?? 0),
            actions: String(state.audit.length),
            newest: Math.max(0, ...busy.map(({ head }) => head.lastAt)),
            moved: heads
              .filter(({ head }) => head.lastAt >= movedSince)
              .toSorted((one, other) => other.head.lastAt - one.head.lastAt)
              .slice(0, limit)
              .map(({ head, id }) => ({ tenantId: id, eventId: head.eventId }))
          }
        })
    })
  )
)
