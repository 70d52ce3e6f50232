import { NetworkSwitches } from "@bursar/core/port/NetworkSwitches"
import { Effect, Layer } from "effect"
import { Store } from "./Store.ts"
import { switchesOf } from "./switchesOf.ts"

/** What operators have switched, in memory. */
export const layer = Layer.effect(
  NetworkSwitches,
  Effect.map(Store, (state) =>
    NetworkSwitches.of({
      all: Effect.sync(() => [...switchesOf(state).values()])
    })
  )
)
