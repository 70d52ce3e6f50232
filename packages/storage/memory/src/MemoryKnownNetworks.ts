import { bindingConflict, KnownNetworks } from "@bursar/core/port/KnownNetworks"
import { Effect, Layer } from "effect"
import { Store } from "./Store.ts"

/** The names of networks and their chains, in memory. */
export const layer = Layer.effect(
  KnownNetworks,
  Effect.map(Store, ({ knownNetworks }) =>
    KnownNetworks.of({
      all: Effect.sync(() => [...knownNetworks.values()].toSorted((one, two) => (one.name < two.name ? -1 : 1))),
      note: (names, firstSeen) =>
        Effect.sync(() => {
          for (const name of names)
            if (!knownNetworks.has(name)) knownNetworks.set(name, { name, chain: null, firstSeen })
        }),
      bind: (name, chain, at) =>
        Effect.sync(() => {
          const conflict = bindingConflict(knownNetworks.values(), name, chain)
          if (conflict !== undefined) return conflict
          knownNetworks.set(name, { name, chain, firstSeen: knownNetworks.get(name)?.firstSeen ?? at })
          return undefined
        })
    })
  )
)
