import { isDocumentSigned } from "@bursar/api/solvency/documentSignature"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { proofMessage } from "@bursar/core/address/proofMessage"
import { adapterOf, Networks } from "@bursar/core/port/Networks"
import { ReserveProver } from "@bursar/core/port/ReserveProver"
import { KeyStore } from "@bursar/core/port/KeyStore"
import { type KeyRef, Vault } from "@bursar/core/port/Vault"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { constants, publicEncrypt, randomBytes } from "node:crypto"
import { layerKeysAlone } from "./support/keysAlone.ts"

const [owner, thief] = [1, 2].map((number) => TenantId(`00000000-0000-4000-8000-00000000000${number}`)) as [
  TenantId,
  TenantId
] // there are two

const claim = {
  service: "Bursar",
  snapshotId: "019845e1-682f-4b02-a706-3b2422d13aec",
  commitment: "ab".repeat(32),
  takenAt: "2026-11-23T12:00:00.000Z"
}

const network = "ethereum"

layer(layerKeysAlone)("the keys of reserves", (it) => {
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

  it.effect("are proven where a tenant has imported them, for that tenant alone", () =>
    Effect.gen(function* () {
      const [networks, store, vault] = [yield* Networks, yield* KeyStore, yield* Vault]
      const { prove } = yield* ReserveProver
      const { publicKey } = yield* vault.wrappingKey(owner)
      for (const { name } of presetNetworks.all) {
        const keyId = crypto.randomUUID()
        const padding = constants.RSA_PKCS1_OAEP_PADDING
        const bytes = publicEncrypt({ key: publicKey, padding, oaepHash: "sha256" }, randomBytes(32))
        const wrapped = { tenantId: owner, keyId, network: name, bytes, algorithm: "RSA-OAEP-SHA256" } as const
        const imported = yield* vault.importKey(wrapped)
        yield* store.putFirst({ tenantId: owner, id: keyId, kind: "IMPORTED", sealed: imported.sealed, createdAt: 0 })
        const key = { _tag: "Imported", tenantId: owner, keyId, network: name } as const
        const { keys } = adapterOf(networks, name)
        for (const address of keys.addressesOf(imported.publicKey)) {
          const { message, signature } = yield* prove({ key, network: name, address, ...claim })
          assert.isTrue(yield* keys.verifyMessage(address, message, signature), name)
          const theirs = prove({ key: { ...key, tenantId: thief }, network: name, address, ...claim })
          assert.strictEqual((yield* Effect.flip(theirs))._tag, "VaultError", name)
        }
      }
    })
  )

  it.effect("are proven for the service of the configuration alone, whoever asks", () =>
    Effect.gen(function* () {
      const [vault, networks] = [yield* Vault, yield* Networks]
      const { prove, signDocument } = yield* ReserveProver
      const seedId = yield* vault.createSeed(owner)
      const key: KeyRef = { _tag: "Wallet", tenantId: owner, seedId, network, index: 0 }
      const [address = ""] = adapterOf(networks, network).keys.addressesOf(yield* vault.publicKey(key))
      const lent = { ...claim, service: "Another" }
      const refused = yield* Effect.flip(prove({ key, network, address, ...lent }))
      assert.include(refused.message, "Another")
      const { service, snapshotId, takenAt } = lent
      const document = { service, snapshotId, takenAt, digest: claim.commitment }
      assert.include((yield* Effect.flip(signDocument(document))).message, "Another")
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
