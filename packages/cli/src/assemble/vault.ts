import { auditKeys } from "@bursar/vault/auditKeys"
import { parseMasterKeys } from "@bursar/vault/MasterKeys"
import { layer as layerSealedProver } from "@bursar/vault/SealedProver"
import { layer as layerSealedSigner, type SignerOptions } from "@bursar/vault/SealedSigner"
import { layer as layerSealedVault } from "@bursar/vault/SealedVault"
import { Layer, Result } from "effect"
import { noCustodies } from "../config/CustodySettings.ts"
import type { SignSettings } from "../config/Settings.ts"
import { layerCustodies } from "./custodies.ts"

type Keyed = Pick<SignSettings, "currencies" | "masterKeys"> & Partial<Pick<SignSettings, "custody">>

/** The master keys of the settings, which were read with these keys checked. */
export const masterKeysOf = ({ masterKeys }: Pick<SignSettings, "masterKeys">) =>
  Result.getOrThrow(parseMasterKeys(masterKeys))

const custodies = ({ custody = noCustodies, masterKeys }: Keyed) => layerCustodies({ custody, masterKeys })

/** The keys that seal the log of operators' actions. */
export const auditKeysOf = (settings: Pick<SignSettings, "masterKeys">) => auditKeys(masterKeysOf(settings))

/** The vault under the master keys of the settings, over the store of keys. */
export const layerVault = (settings: Keyed) =>
  layerSealedVault(masterKeysOf(settings), settings.currencies.networks).pipe(Layer.provide(custodies(settings)))

/** What proves that the keys are there, under the same keys and for the service of the settings. */
export const layerProver = (settings: Keyed & Pick<SignSettings, "serviceName">) =>
  layerSealedProver(masterKeysOf(settings), {
    networks: settings.currencies.networks,
    service: settings.serviceName
  }).pipe(Layer.provide(custodies(settings)))

/** The signer of transactions under the same keys, which remembers nothing. */
export const layerSigner = (
  settings: Keyed,
  options: Pick<SignerOptions, "currencies" | "grants" | "publicAuthorities">
) => layerSealedSigner(masterKeysOf(settings), options).pipe(Layer.provide(custodies(settings)))
