import * as WriterLive from "@bursar/core/engine/Writer"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { KeyCustodies } from "@bursar/core/port/KeyCustody"
import { TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { type KeyRef, UnknownCustody, Vault, VaultError } from "@bursar/core/port/Vault"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import * as Memory from "@bursar/memory"
import { layerFakeNetworks, makeFakeNetwork } from "@bursar/testkit/fixtures/FakeNetwork"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { parseMasterKeys } from "@bursar/vault/MasterKeys"
import { makeSealedCustody } from "@bursar/vault/SealedCustody"
import * as SealedSigner from "@bursar/vault/SealedSigner"
import * as SealedVault from "@bursar/vault/SealedVault"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted, Result } from "effect"
import { createPublicKey, verify } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as ecc from "tiny-secp256k1"

const masterKeys = Result.getOrThrow(parseMasterKeys(Redacted.make(`k:${Buffer.alloc(32, 1).toString("base64")}`)))
const digest = new Uint8Array(32).fill(9)
const spkiEd25519 = Buffer.from("302a300506032b6570032100", "hex")

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

/** A network whose transactions are the address that must sign and is paid. */
const ownPayments = (network: string) =>
  makeFakeNetwork(network, {
    parseAddress: Result.succeed,
    keys: { addressesOf: (publicKey) => [hex(publicKey)] },
    codec: {
      network,
      read: (unsigned) => {
        const address = Buffer.from(unsigned).toString()
        const payments = [{ to: address, contract: null, units: 1n, memo: null }]
        const bounds = { guard: { _tag: "Expiry" }, validUntil: null } as const
        return Result.succeed({ payments, feeMax: 1n, digests: [{ address, digest }], trustlines: [], ...bounds })
      },
      readSigned: () => Result.fail("nothing is read again"),
      finish: (_unsigned, [signature]) =>
        signature === undefined ? Result.fail("nothing signed") : Result.succeed({ hash: "h", raw: signature.bytes })
    }
  })

const custodies = Layer.effect(
  KeyCustodies,
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "bursar-custodied-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    const custody = yield* makeSealedCustody(masterKeys, folder)
    return new Map([[custody.name, custody]])
  })
)

const services = Layer.mergeAll(
  SealedSigner.layer(masterKeys, { currencies: defaultCurrencies }),
  SealedVault.layer(masterKeys, presetNetworks)
).pipe(
  Layer.provideMerge(WriterLive.layer),
  Layer.provideMerge(
    Layer.mergeAll(Layer.fresh(Memory.layer), layerFakeNetworks(["ethereum", "stellar"].map(ownPayments)), custodies)
  )
)

const custody = "sealed"

const wallet = Effect.fnUntraced(function* (tenantId: TenantId, network: string, index = 0) {
  const { keyId, publicKey } = yield* (yield* Vault).createCustodyKey({ tenantId, network, custody, index })
  const key: Extract<KeyRef, { readonly _tag: "Custodied" }> = { _tag: "Custodied", tenantId, network, custody, keyId }
  return { key, publicKey, address: hex(publicKey) }
})

const sign = Effect.fnUntraced(function* (key: KeyRef, address: string) {
  const own = [{ address, key }]
  const { raw } = yield* (yield* TransactionSigner).sign({
    tenantId: key.tenantId,
    network: key.network,
    unsigned: Buffer.from(address),
    signers: own,
    own,
    requests: []
  })
  return raw
})

layer(services)("a wallet whose key a custody holds", (it) => {
  it.effect("signs with it, on secp256k1 and on ed25519, and is made once", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant()
      const ethereum = yield* wallet(id, "ethereum")
      assert.isTrue(ecc.verify(digest, ethereum.publicKey, yield* sign(ethereum.key, ethereum.address), true))
      assert.deepStrictEqual(yield* (yield* Vault).publicKey(ethereum.key), ethereum.publicKey)
      const stellar = yield* wallet(id, "stellar")
      const key = createPublicKey({
        key: Buffer.concat([spkiEd25519, stellar.publicKey]),
        format: "der",
        type: "spki"
      })
      assert.isTrue(verify(null, digest, key, yield* sign(stellar.key, stellar.address)))
      assert.deepStrictEqual(yield* wallet(id, "ethereum"), ethereum)
      assert.notDeepEqual((yield* wallet(id, "ethereum", 1)).address, ethereum.address)
    })
  )

  it.effect("is of no other tenant and no other network, whatever the row of a wallet says", () =>
    Effect.gen(function* () {
      const vault = yield* Vault
      const [one, thief] = [yield* newTenant(), yield* newTenant()]
      const { address, key } = yield* wallet(one.id, "ethereum")
      const stolen: ReadonlyArray<KeyRef> = [
        { ...key, tenantId: thief.id },
        { ...key, network: "base" },
        { ...key, network: "stellar" }
      ]
      for (const ref of stolen) {
        assert.instanceOf(yield* Effect.flip(vault.publicKey(ref)), VaultError)
      }
      assert.instanceOf(yield* Effect.flip(sign({ ...key, tenantId: thief.id }, address)), VaultError)
      const other = yield* wallet(thief.id, "ethereum")
      const refusal = yield* Effect.flip(sign({ ...key, keyId: other.key.keyId }, address))
      assert.instanceOf(refusal, VaultError)
    })
  )

  it.effect("cannot be used or made where its custody is not configured", () =>
    Effect.gen(function* () {
      const vault = yield* Vault
      const { id } = yield* newTenant()
      const { key } = yield* wallet(id, "ethereum")
      assert.instanceOf(yield* Effect.flip(vault.publicKey({ ...key, custody: "pkcs11" })), VaultError)
      assert.instanceOf(yield* Effect.flip(vault.publicKey({ ...key, keyId: "unknown" })), VaultError)
      const wish = { tenantId: id, network: "ethereum", custody: "pkcs11", index: 0 }
      assert.instanceOf(yield* Effect.flip(vault.createCustodyKey(wish)), UnknownCustody)
    })
  )
})
