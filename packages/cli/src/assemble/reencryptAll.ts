import { layer as layerWriter } from "@bursar/core/engine/Writer"
import { layer as layerPostgres } from "@bursar/postgres"
import { parseMasterKeys } from "@bursar/vault/MasterKeys"
import { reencrypt } from "@bursar/vault/reencrypt"
import { reencryptSealedCustody } from "@bursar/vault/SealedCustody"
import { Effect, Layer, type Redacted } from "effect"

/** Puts every sealed secret of a database, and of a folder of keys, under the first of some master keys, and tells how many were not. */
export const reencryptAll = Effect.fn("assemble.reencryptAll")(function* <E, R>(
  masterKeys: Redacted.Redacted,
  database: Effect.Effect<Redacted.Redacted, E, R>,
  custodyFolder: string | undefined
) {
  const keys = yield* Effect.fromResult(parseMasterKeys(masterKeys))
  const storage = layerPostgres({ url: yield* database, maxConnections: 4, applicationName: "bursar vault" })
  const { changed, current } = yield* reencrypt(keys).pipe(
    Effect.provide(layerWriter.pipe(Layer.provideMerge(storage)))
  )
  const files =
    custodyFolder === undefined ? { changed: 0, current: 0 } : yield* reencryptSealedCustody(keys, custodyFolder)
  return {
    master_key: keys.current,
    changed: changed + files.changed,
    already_current: current + files.current
  }
})
