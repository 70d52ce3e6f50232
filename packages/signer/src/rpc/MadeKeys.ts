import { KeyStore } from "@bursar/core/port/KeyStore"
import type { SealedKey } from "@bursar/core/port/SealedKey"
import { Context, Effect, Layer } from "effect"

/** The sealed keys that were made for the request in hand; undefined outside a request. */
export const MadeKeys = Context.Reference<Array<SealedKey> | undefined>("@bursar/signer/MadeKeys", {
  defaultValue: () => undefined
})

/**
 * A store of keys that writes nothing: the signer may not write to the service's database. What it is to keep goes back with the answer,
 * sealed, and whoever asked stores it.
 */
export const layerReadOnly: Layer.Layer<KeyStore, never, KeyStore> = Layer.effect(
  KeyStore,
  Effect.map(KeyStore, (store) =>
    KeyStore.of({
      ...store,
      putFirst: (key) =>
        Effect.gen(function* () {
          const made = yield* MadeKeys
          if (made === undefined) return yield* Effect.die(new Error("a key was made outside a request"))
          made.push(key)
          return key
        }),
      // the one that was just made is not stored yet
      byId: (tenantId, id) =>
        Effect.flatMap(MadeKeys, (made) => {
          const own = made?.find((one) => one.tenantId === tenantId && one.id === id)
          return own === undefined ? store.byId(tenantId, id) : Effect.succeed(own)
        }),
      reseal: () => Effect.die(new Error("the signer stores no keys"))
    })
  )
)
