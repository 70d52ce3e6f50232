import * as Writer from "@bursar/core/engine/Writer"
import { Queries } from "@bursar/core/store/Queries"
import { Storage } from "@bursar/core/engine/Storage"
import { StorageError } from "@bursar/core/engine/StorageError"
import { Tenants } from "@bursar/core/port/Tenants"
import { layerOver, type State } from "@bursar/memory"
import { Deferred, Effect, Layer } from "effect"
import { openBox } from "./Partner.ts"
import { vault } from "./TestKeys.ts"
import { networks } from "./TestPorts.ts"

/** What is wrong with a storage: nothing, everything, its writes alone, what becomes of them is not known, or all of it waits until this is done. */
export interface Trouble {
  state: "none" | "down" | "read-only" | "unknown" | Deferred.Deferred<void>
  /** A defect of the next query, once. */
  defect: Error | null
}

const failure = new StorageError({ doing: "test", cause: new Error("the storage is down") })

const unknown = new StorageError({ doing: "test", cause: new Error("the storage went away"), outcome: "unknown" })

/** All ports over a state, with a storage that can be troubled. */
export const troubledPorts = (trouble: Trouble) => (state: State) => {
  const read = <A>(effect: Effect.Effect<A, StorageError>): Effect.Effect<A, StorageError> =>
    Effect.suspend((): Effect.Effect<A, StorageError> => {
      const { defect } = trouble
      trouble.defect = null
      if (defect !== null) return Effect.die(defect)
      if (typeof trouble.state === "object") return Effect.andThen(Deferred.await(trouble.state), effect)
      return trouble.state === "down" ? Effect.fail(failure) : effect
    })
  const write = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | StorageError> =>
    Effect.suspend((): Effect.Effect<A, E | StorageError> => {
      if (trouble.state === "none") return effect
      if (trouble.state === "unknown") return Effect.andThen(effect, Effect.fail(unknown))
      return typeof trouble.state === "string"
        ? Effect.fail(failure)
        : Effect.andThen(Deferred.await(trouble.state), effect)
    })
  const storage = Layer.effect(
    Storage,
    Effect.map(Storage, (real) => Storage.of({ commit: (...given) => write(real.commit(...given)) }))
  )
  const queries = Layer.effect(
    Queries,
    Effect.map(Queries, (real) =>
      Queries.of({ ...real, float: (tenant) => read(real.float(tenant)), heights: read(real.heights) })
    )
  )
  const tenants = Layer.effect(
    Tenants,
    Effect.map(Tenants, (real) => Tenants.of({ ...real, key: (id) => read(real.key(id)) }))
  )
  const real = layerOver(state)
  return Layer.merge(Writer.layer, vault).pipe(
    Layer.provideMerge(Layer.mergeAll(real, Layer.mergeAll(storage, queries, tenants).pipe(Layer.provide(real)))),
    Layer.merge(networks),
    Layer.merge(openBox)
  )
}
