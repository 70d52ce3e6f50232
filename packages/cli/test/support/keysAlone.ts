import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { KeyCustodies } from "@bursar/core/port/KeyCustody"
import { KeyStore } from "@bursar/core/port/KeyStore"
import type { SealedKey } from "@bursar/core/port/SealedKey"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { parseMasterKeys } from "@bursar/vault/MasterKeys"
import { makeSealedCustody } from "@bursar/vault/SealedCustody"
import * as SealedProver from "@bursar/vault/SealedProver"
import * as SealedVault from "@bursar/vault/SealedVault"
import { Effect, Layer, Redacted, Result } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { idleNodes, layerNetworksAlone } from "./idleNodes.ts"

const masterKeys = Result.getOrThrow(parseMasterKeys(Redacted.make(`k:${Buffer.alloc(32, 1).toString("base64")}`)))

const sealedFiles = Layer.effect(
  KeyCustodies,
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "bursar-proofs-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    const custody = yield* makeSealedCustody(masterKeys, folder)
    return new Map([[custody.name, custody]])
  })
)

const keyStore = Layer.sync(KeyStore, () => {
  const stored: Array<SealedKey> = []
  const first = (tenantId: TenantId, kind: SealedKey["kind"]) =>
    stored.find((key) => key.tenantId === tenantId && key.kind === kind)
  return KeyStore.of({
    first: (tenantId, kind) => Effect.sync(() => first(tenantId, kind)),
    byId: (tenantId, id) => Effect.sync(() => stored.find((key) => key.tenantId === tenantId && key.id === id)),
    putFirst: (key) =>
      Effect.sync(() => {
        stored.push(key)
        return key
      }),
    page: () => Effect.succeed([]),
    reseal: () => Effect.succeed(false)
  })
})

/** Keys in seeds, imported ones and those in custodies, and what proves that they are there, without a database and without a node. */
export const layerKeysIn = <E>(custodies: Layer.Layer<never, E>) =>
  Layer.mergeAll(
    SealedProver.layer(masterKeys, { networks: presetNetworks, service: "Bursar" }),
    SealedVault.layer(masterKeys, presetNetworks)
  ).pipe(Layer.provideMerge(Layer.mergeAll(keyStore, layerNetworksAlone(idleNodes, defaultCurrencies), custodies)))

/** The same, with a custody of sealed files. */
export const layerKeysAlone = layerKeysIn(sealedFiles)
