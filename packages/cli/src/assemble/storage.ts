import { layer as layerWriter } from "@bursar/core/engine/Writer"
import { layer as layerPostgres } from "@bursar/postgres"
import { layer as layerSecretBox } from "@bursar/vault/MasterKeySecretBox"
import { parseMasterKeys } from "@bursar/vault/MasterKeys"
import { Layer, Result } from "effect"
import type { WorkingSettings } from "../config/Settings.ts"

/** What server and worker both stand on: the storage ports, the writer over them, and the box of secrets. */
export const layerStorage = (
  settings: Pick<WorkingSettings, "databaseConnections" | "databaseUrl" | "secretsKeys">,
  applicationName: string
) =>
  Layer.mergeAll(
    layerWriter.pipe(
      Layer.provideMerge(
        layerPostgres({ url: settings.databaseUrl, maxConnections: settings.databaseConnections, applicationName })
      )
    ),
    // the settings were read with these keys checked
    layerSecretBox(Result.getOrThrow(parseMasterKeys(settings.secretsKeys)))
  )
