import { isDocumentSigned } from "@bursar/api/solvency/documentSignature"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { proofMessage } from "@bursar/core/address/proofMessage"
import { KeyCustodies } from "@bursar/core/port/KeyCustody"
import { adapterOf, Networks } from "@bursar/core/port/Networks"
import { ReserveProver } from "@bursar/core/port/ReserveProver"
import { type KeyRef, Vault } from "@bursar/core/port/Vault"
import { KeyStore } from "@bursar/core/port/KeyStore"
import type { SealedKey } from "@bursar/core/port/SealedKey"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { parseMasterKeys } from "@bursar/vault/MasterKeys"
import { makeSealedCustody } from "@bursar/vault/SealedCustody"
import * as SealedProver from "@bursar/vault/SealedProver"
import * as SealedVault from "@bursar/vault/SealedVault"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted, Result } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { idleNodes, layerNetworksAlone } from "./support/idleNodes.ts"

const masterKeys = Result.getOrThrow(parseMasterKeys(Redacted.make(`k:${Buffer.alloc(32, 1).toString("base64")}`)))

const custodies = Layer.effect(
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

const [owner, thief] = [1, 2].map((number) => TenantId(`00000000-0000-4000-8000-00000000000${number}`)) as [
  TenantId,
  TenantId
] // there are two

const services = Layer.mergeAll(
  SealedProver.layer(masterKeys, presetNetworks),
  SealedVault.layer(masterKeys, presetNetworks)
).pipe(Layer.provideMerge(Layer.mergeAll(keyStore, layerNetworksAlone(idleNodes, defaultCurrencies), custodies)))

const claim = {
  service: "Bursar",
  snapshotId: "019845e1-682f-4b02-a706-3b2422d13aec",
  commitment: "ab".repeat(32),
  takenAt: "2026-11-23T12:00:00.000Z"
}

const network = "ethereum"

layer(services)("the keys of reserves", (it) => {
  it.effect("are proven on every network, whether they are in a seed or in a custody", () =>
    Effect.gen(function* () {
      const [vault, networks] = [yield* Vault, yield* Networks]
      const { prove } = yield* ReserveProver
      const tenantId = owner
      const seedId = yield* vault.createSeed(tenantId)
      for (const { messageFormat, name } of presetNetworks.all) {
        const { keys } = adapterOf(networks, name)
        const { keyId } = yield* vault.createCustodyKey({ tenantId, network: name, custody: "sealed", index: 0 })
        const refs: ReadonlyArray<KeyRef> = [
          { _tag: "Wallet", tenantId, seedId, network: name, index: 3 },
          { _tag: "Issued", tenantId, seedId, network: name, index: 4 },
          { _tag: "Custodied", tenantId, network: name, custody: "sealed", keyId }
        ]
        for (const key of refs) {
          // bitcoin has three forms
          for (const address of keys.addressesOf(yield* vault.publicKey(key))) {
            const proof = yield* prove({ key, network: name, address, ...claim })
            assert.strictEqual(proof.format, messageFormat)
            assert.isTrue(yield* keys.verifyMessage(address, proof.message, proof.signature), `${name} ${key._tag}`)
            assert.isFalse(yield* keys.verifyMessage(address, `${proof.message} `, proof.signature), name)
            for (const part of [claim.snapshotId, claim.commitment, name, address, claim.takenAt, claim.service])
              assert.include(proof.message, part)
          }
        }
      }
    })
  )

  it.effect("are none of that which signs documents, which follows from the master key and signs nothing else", () =>
    Effect.gen(function* () {
      const { signDocument } = yield* ReserveProver
      const { service, snapshotId, takenAt } = claim
      const document = { service, snapshotId, takenAt, digest: claim.commitment }
      const signed = yield* signDocument(document)
      assert.isTrue(yield* isDocumentSigned(document, signed))
      assert.deepStrictEqual(yield* signDocument(document), signed)
      assert.isFalse(yield* isDocumentSigned({ ...document, digest: "cd".repeat(32) }, signed))
      for (const wrong of [{ service: "Bursar\nDocument: another" }, { digest: "anything" }, { snapshotId: "one" }])
        assert.strictEqual((yield* Effect.flip(signDocument({ ...document, ...wrong })))._tag, "VaultError")
    })
  )

  it.effect("sign for no address but their own, and no text of somebody else's making", () =>
    Effect.gen(function* () {
      const [vault, networks] = [yield* Vault, yield* Networks]
      const { prove } = yield* ReserveProver
      const seedId = yield* vault.createSeed(owner)
      const key = { _tag: "Wallet", tenantId: owner, seedId, network, index: 0 } as const
      const [address = ""] = adapterOf(networks, network).keys.addressesOf(yield* vault.publicKey(key))
      const right = { key, network, address, ...claim }
      const wrong: Readonly<Record<string, Parameters<typeof prove>[0]>> = {
        "another address": { ...right, address: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" },
        "another index": { ...right, key: { ...key, index: 1 } },
        "the key of another network": { ...right, network: "base" },
        "a network that there is none of": { ...right, network: "nowhere", key: { ...key, network: "nowhere" } },
        "another tenant": { ...right, key: { ...key, tenantId: thief } },
        "more lines": { ...right, service: "Bursar\nSnapshot: another" },
        "more lines at the end": { ...right, takenAt: `${claim.takenAt}\nTenant: somebody` },
        "a snapshot that is none": { ...right, snapshotId: "anything" },
        "a commitment that is none": { ...right, commitment: "0xdeadbeef" }
      }
      for (const [what, reserve] of Object.entries(wrong))
        assert.include(["ProofRefused", "VaultError"], (yield* Effect.flip(prove(reserve)))._tag, what)
      const { message, signature } = yield* prove(right)
      // it gives nobody the deposits of the address
      const gives = proofMessage({ serviceName: "Bursar", tenantId: thief, network, address, issuedAt: 0 })
      assert.isFalse(yield* adapterOf(networks, network).keys.verifyMessage(address, gives, signature))
      assert.match(message, /^Proof of reserves\. This text moves nothing/u)
    })
  )
})
