import { NetworkSwitches } from "@bursar/core/port/NetworkSwitches"
import { Effect, Layer } from "effect"
import { Store } from "./Store.ts"

/** What operators have switched, in memory. */
export const layer = Layer.effect(
  NetworkSwitches,
  Effect.map(Store, ({ switches }) =>
    NetworkSwitches.of({
      all: Effect.sync(() => [...switches.values()]),
      set: (one) => Effect.sync(() => void switches.set(one.network, one))
    })
  )
)
