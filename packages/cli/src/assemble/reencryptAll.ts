import { layer as layerWriter } from "@bursar/core/engine/Writer"
import { layer as layerPostgres } from "@bursar/postgres"
import { parseMasterKeys } from "@bursar/vault/MasterKeys"
import { reencryptKeys, type Reencrypted, reencryptSecrets } from "@bursar/vault/reencrypt"
import { reencryptSealedCustody } from "@bursar/vault/SealedCustody"
import { Effect, Layer, type Redacted } from "effect"

/** The keys that an operator gives: those of the vault, those of what the service seals for itself, or both. */
export interface ReencryptionKeys {
  readonly masterKeys?: Redacted.Redacted
  readonly secretsKeys?: Redacted.Redacted
  /** The folder of a custody of sealed files, whose keys are under that of the vault. */
  readonly custodyFolder?: string
}

const nothing: Reencrypted = { changed: 0, current: 0 }

const parsed = (text: Redacted.Redacted | undefined) =>
  text === undefined ? Effect.succeed(undefined) : Effect.fromResult(parseMasterKeys(text))

/**
 * Puts every sealed secret of a database under the first of its keys, and tells how many were not: private keys (and those
 * of a folder of keys) under that of the vault, and
 * webhook secrets under that of secrets. With both, what a version before sealed under the vault's key is opened with it.
 */
export const reencryptAll = Effect.fn("assemble.reencryptAll")(function* <E, R>(
  { custodyFolder, masterKeys, secretsKeys }: ReencryptionKeys,
  database: Effect.Effect<Redacted.Redacted, E, R>
) {
  const [master, secrets] = [yield* parsed(masterKeys), yield* parsed(secretsKeys)]
  const storage = layerPostgres({ url: yield* database, maxConnections: 4, applicationName: "bursar vault" })
  const [keys, boxes] = yield* Effect.all([
    master === undefined ? Effect.succeed(nothing) : reencryptKeys(master),
    secrets === undefined ? Effect.succeed(nothing) : reencryptSecrets(secrets, master?.byId)
  ]).pipe(Effect.provide(layerWriter.pipe(Layer.provideMerge(storage))))
  const files =
    master === undefined || custodyFolder === undefined ? nothing : yield* reencryptSealedCustody(master, custodyFolder)
  return {
    master_key: master?.current ?? null,
    secrets_key: secrets?.current ?? null,
    changed: keys.changed + boxes.changed + files.changed,
    already_current: keys.current + boxes.current + files.current
  }
})
