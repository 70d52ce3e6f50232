import { poolAdapter } from "@bursar/worker/nodes/poolAdapter"
import { Effect, Layer } from "effect"
import { World } from "./World.ts"

/** The same world, whose adapter asks two operators. Their nodes are one, so they never disagree. */
export const byTwoNodes = <E, R>(world: Layer.Layer<World, E, R>) =>
  Layer.effect(
    World,
    Effect.map(World, ({ adapter, ...rest }) =>
      World.of({
        ...rest,
        adapter: (settings) =>
          poolAdapter([
            { adapter: adapter(settings), operator: "one" },
            { adapter: adapter(settings), operator: "two" }
          ])
      })
    )
  ).pipe(Layer.provide(world))
