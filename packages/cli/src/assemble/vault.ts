import { parseMasterKeys } from "@bursar/vault/MasterKeys"
import { layer as layerSealedVault } from "@bursar/vault/SealedVault"
import { Result } from "effect"
import type { Settings } from "../config/Settings.ts"

/** The vault under the master keys of the settings, over the store of keys. */
export const layerVault = ({ masterKeys }: Pick<Settings, "masterKeys">) =>
  // the settings were read with these keys checked
  layerSealedVault(Result.getOrThrow(parseMasterKeys(masterKeys)))
