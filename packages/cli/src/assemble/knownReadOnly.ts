import { bindingConflict, KnownNetworks } from "@bursar/core/port/KnownNetworks"
import { Effect, Layer } from "effect"

/**
 * The names of networks for a process that may not write them: it compares a chain with what the database knows, and remembers
 * nothing. A name that is bound to no chain yet is bound by `bursar serve` or `bursar work`.
 */
export const layerKnownReadOnly: Layer.Layer<KnownNetworks, never, KnownNetworks> = Layer.effect(
  KnownNetworks,
  Effect.map(KnownNetworks, ({ all }) =>
    KnownNetworks.of({
      all,
      note: () => Effect.void,
      bind: (name, chain) => Effect.map(all, (known) => bindingConflict(known, name, chain))
    })
  )
)
