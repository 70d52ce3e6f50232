import { presetNetworks } from "@bursar/core/money/presetNetworks"
import {
  constants,
  createCipheriv,
  createPublicKey,
  generateKeyPairSync,
  publicEncrypt,
  randomBytes,
  verify as verifyWith
} from "node:crypto"
import * as WriterLive from "@bursar/core/engine/Writer"
import { Writer } from "@bursar/core/engine/Writer"
import { addEndpoint, stageSecret } from "@bursar/core/webhook/endpointCommands"
import { KeyStore } from "@bursar/core/port/KeyStore"
import { Queries } from "@bursar/core/store/Queries"
import { SecretBox } from "@bursar/core/port/SecretBox"
import { Vault, type WrappingAlgorithm } from "@bursar/core/port/Vault"
import type { Network } from "@bursar/core/money/Network"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import * as SecretBoxLive from "@bursar/vault/MasterKeySecretBox"
import * as Memory from "@bursar/memory"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { parseMasterKeys } from "@bursar/vault/MasterKeys"
import { reencryptKeys, reencryptSecrets } from "@bursar/vault/reencrypt"
import * as SealedVault from "@bursar/vault/SealedVault"
import { assert, describe, it } from "@effect/vitest"
import { BIP32Factory } from "bip32"
import { Effect, Layer, Logger, Redacted, Result } from "effect"
import * as ecc from "tiny-secp256k1"
import { seal } from "../src/internal/envelope.ts"
import { sealedKeys } from "../src/internal/sealedKeys.ts"

const [one, two] = [1, 2].map((fill) => `k${fill}:${Buffer.alloc(32, fill).toString("base64")}`) as [string, string]
const keysOf = (text: string) => Result.getOrThrow(parseMasterKeys(Redacted.make(text)))

/** The seed of the mnemonic "abandon × 11 about" without a passphrase. */
const knownSeed = Buffer.from(
  "5eb00bbddcf069084889a8ab9155568165f5c453ccb85e70811aaed6f6da5fc19a5ac40b389cd370d086206dec8aa6c43daea6690f20ad3d8d48b2d2ce9e38e4",
  "hex"
)

/** SEP-5: the account GB3JDWCQJCWMJ3IILWIGDTQJJC5567PGVEVXSCVPEQOTDN64VJBDQBYX of the same mnemonic. */
const stellarAccount = "7691d85048acc4ed085d9061ce0948bbdf7de6a92b790aaf241d31b7dcaa4238"

const accounts: Readonly<Partial<Record<Network, string>>> = {
  ethereum:
    "xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt",
  tron: "xpub6D1AabNHCupeiLM65ZR9UStMhJ1vCpyV4XbZdyhMZBiJXALQtmn9p42VTQckoHVn8WNqS7dqnJokZHAHcHGoaQgmv8D45oNUKx6DZMNZBCd",
  bitcoin:
    "xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbvqAQY3rAPshWcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7PW6V"
}

/** Everything over one memory; a vault per set of master keys. */
const over = <A, E>(
  effect: (
    vault: (keys?: string) => Effect.Effect<Vault["Service"]>
  ) => Effect.Effect<A, E, KeyStore | Writer | Layer.Success<typeof Memory.layer>>
) =>
  Effect.gen(function* () {
    const store = yield* KeyStore
    return yield* effect((keys = one) =>
      Effect.provide(
        Vault,
        SealedVault.layer(keysOf(keys), presetNetworks).pipe(Layer.provide(Layer.succeed(KeyStore, store)))
      )
    )
  }).pipe(Effect.provide(WriterLive.layer.pipe(Layer.provideMerge(Memory.layer))))

const putKnownSeed = Effect.fnUntraced(function* (tenantId: TenantId) {
  const store = yield* KeyStore
  const id = crypto.randomUUID()
  const sealed = seal(keysOf(one), `${tenantId}/SEED/${id}`, knownSeed)
  yield* store.putFirst({ tenantId, id, kind: "SEED", sealed, createdAt: 0 })
  return id
})

const wrap = (publicKey: string, algorithm: WrappingAlgorithm, secret: Uint8Array): Buffer => {
  const oaep = (bytes: Uint8Array) =>
    publicEncrypt({ key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha256" }, bytes)
  if (algorithm === "RSA-OAEP-SHA256") return oaep(secret)
  const aesKey = randomBytes(32)
  const cipher = createCipheriv("id-aes256-wrap-pad", aesKey, Buffer.from("a65959a6", "hex"))
  return Buffer.concat([oaep(aesKey), cipher.update(secret), cipher.final()])
}

/** Signing as the signer of transactions does it. */
const signing = (keys = one) =>
  Effect.map(KeyStore, (store) => sealedKeys(keysOf(keys), store, { custodies: new Map(), networks: presetNetworks }))

const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

const digest = randomBytes(32)

describe("the vault", () => {
  it.effect("keeps what has opened, sealed and as its tenant's, and nothing that has not", () =>
    over(() =>
      Effect.gen(function* () {
        const store = yield* KeyStore
        const [mine, theirs] = [yield* newTenant(), yield* newTenant()]
        const seedId = yield* putKnownSeed(mine.id)
        const shown = { altered: true, reads: 0 }
        const lying = KeyStore.of({
          ...store,
          byId: (tenantId, id) =>
            Effect.map(store.byId(mine.id, id), (key) => {
              shown.reads += 1
              return key && { ...key, tenantId, ...(shown.altered && { sealed: `${key.sealed.slice(0, -4)}AAAA` }) }
            })
        })
        const { signDigest } = sealedKeys(keysOf(one), lying, { custodies: new Map(), networks: presetNetworks })
        const by = (tenantId: TenantId) =>
          signDigest({ _tag: "Wallet", tenantId, seedId, network: "ethereum", index: 0 }, digest)
        assert.strictEqual(yield* tagOf(by(mine.id)), "VaultError")
        shown.altered = false
        yield* by(mine.id)
        // what is shown as another's is not opened as another's, kept or not
        assert.strictEqual(yield* tagOf(by(theirs.id)), "VaultError")
        yield* by(mine.id)
        yield* by(mine.id)
        assert.strictEqual(shown.reads, 3)
      })
    )
  )

  it.effect("has one seed per tenant, which it makes once", () =>
    over((vault) =>
      Effect.gen(function* () {
        const { createSeed } = yield* vault()
        const [mine, theirs] = [yield* newTenant(), yield* newTenant()]
        const ids = yield* Effect.all([createSeed(mine.id), createSeed(mine.id), createSeed(mine.id)], {
          concurrency: "unbounded"
        })
        assert.lengthOf(new Set(ids), 1)
        assert.notStrictEqual(yield* createSeed(theirs.id), ids[0])
      })
    )
  )

  it.effect("gives the accounts that other wallets make of a seed, and signs with the keys below them", () =>
    over((vault) =>
      Effect.gen(function* () {
        const { publicAccount } = yield* vault()
        const { signDigest } = yield* signing()
        const { id: tenantId } = yield* newTenant()
        const seedId = yield* putKnownSeed(tenantId)
        for (const network of ["ethereum", "tron", "bitcoin"] as const) {
          const account = yield* publicAccount(tenantId, seedId, network)
          assert.strictEqual(account, accounts[network])
          for (const index of [0, 1, 0x7fff_ffff]) {
            const signature = yield* signDigest({ _tag: "Issued", tenantId, seedId, network, index }, digest)
            const publicKey = BIP32Factory(ecc).fromBase58(account).derive(0).derive(index).publicKey
            assert.isTrue(ecc.verify(digest, publicKey, signature.bytes, true))
            const recovery = signature.recovery as 0 | 1 | 2 | 3 // of four points
            assert.deepStrictEqual(
              Buffer.from(ecc.recover(digest, signature.bytes, recovery, true) ?? []),
              Buffer.from(publicKey)
            )
          }
        }
        const { publicKey } = yield* vault()
        for (const network of ["ethereum", "tron", "bitcoin"] as const) {
          const account = yield* publicAccount(tenantId, seedId, network)
          const wallet = yield* publicKey({ _tag: "Wallet", tenantId, seedId, network, index: 3 })
          const expected = BIP32Factory(ecc).fromBase58(account).derive(1).derive(3).publicKey
          assert.deepStrictEqual(Buffer.from(wallet), Buffer.from(expected), "a branch of its own")
        }
        // SEP-5: the second account of the mnemonic, GDVSYYTUAJ3ACHTPQNSTQBDQ4LDHQCMNY4FCEQH5TJUMSSLWQSTG42MV
        const second = yield* publicKey({ _tag: "Wallet", tenantId, seedId, network: "stellar", index: 0 })
        const strkey = "GDVSYYTUAJ3ACHTPQNSTQBDQ4LDHQCMNY4FCEQH5TJUMSSLWQSTG42MV"
        const digits = [...strkey].map((letter) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter))
        const bits = digits.map((digit) => digit.toString(2).padStart(5, "0")).join("")
        const bytes = Uint8Array.from({ length: 35 }, (_, at) => Number.parseInt(bits.slice(at * 8, at * 8 + 8), 2))
        assert.deepStrictEqual(second, bytes.slice(1, 33))
        const stellar = yield* publicAccount(tenantId, seedId, "stellar")
        assert.strictEqual(stellar, stellarAccount)
        const signed = yield* signDigest({ _tag: "Issued", tenantId, seedId, network: "stellar", index: 7 }, digest)
        const spki = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), Buffer.from(stellar, "hex")])
        assert.isTrue(
          verifyWith(null, digest, createPublicKey({ key: spki, format: "der", type: "spki" }), signed.bytes)
        )
      })
    )
  )

  for (const algorithm of ["RSA-OAEP-SHA256", "RSA-OAEP-SHA256+AES-KWP"] as const) {
    it.effect(`unwraps ${algorithm} for its tenant alone, and signs with what it has stored`, () =>
      over((vault) =>
        Effect.gen(function* () {
          const { importKey, wrappingKey } = yield* vault()
          const { signDigest } = yield* signing()
          const [{ id: tenantId }, { id: stranger }] = [yield* newTenant(), yield* newTenant()]
          const { publicKey } = yield* wrappingKey(tenantId)
          assert.strictEqual((yield* wrappingKey(tenantId)).publicKey, publicKey)
          const secret = Buffer.alloc(32, 7)
          const given = { tenantId, keyId: crypto.randomUUID(), algorithm, bytes: wrap(publicKey, algorithm, secret) }
          const imported = yield* importKey({ ...given, network: "tron" })
          assert.deepStrictEqual(Buffer.from(imported.publicKey), Buffer.from(ecc.pointFromScalar(secret, true) ?? []))
          const store = yield* KeyStore
          yield* store.putFirst({
            tenantId,
            id: given.keyId,
            kind: "IMPORTED",
            sealed: imported.sealed,
            createdAt: 0
          })
          const ref = { _tag: "Imported", tenantId, keyId: given.keyId, network: "tron" } as const
          const signature = yield* signDigest(ref, digest)
          assert.isTrue(ecc.verify(digest, imported.publicKey, signature.bytes, true))
          const ed25519 = yield* importKey({ ...given, network: "stellar" })
          assert.lengthOf(ed25519.publicKey, 32)
          assert.strictEqual(
            yield* tagOf(importKey({ ...given, network: "tron", tenantId: stranger })),
            "WrappedKeyUnreadable"
          )
        })
      )
    )

    it.effect(`refuses what is no key under ${algorithm}, always in the same words`, () =>
      over((vault) =>
        Effect.gen(function* () {
          const { importKey, wrappingKey } = yield* vault()
          const { id: tenantId } = yield* newTenant()
          const { publicKey } = yield* wrappingKey(tenantId)
          // without its leading zero it would be the same number
          let right = wrap(publicKey, algorithm, Buffer.alloc(32, 7))
          while (right[0] !== 0) right = wrap(publicKey, algorithm, Buffer.alloc(32, 7))
          const other = generateKeyPairSync("rsa", { modulusLength: 3072 })
            .publicKey.export({ format: "pem", type: "spki" })
            .toString()
          const wrong: ReadonlyArray<Uint8Array> = [
            new Uint8Array(0),
            randomBytes(384),
            randomBytes(424),
            right.subarray(1),
            Buffer.concat([right, Buffer.of(0)]),
            Buffer.from(right.map((byte, index) => (index === right.length - 1 ? byte ^ 1 : byte))),
            wrap(other, algorithm, Buffer.alloc(32, 7)),
            wrap(publicKey, algorithm, Buffer.alloc(31, 7)),
            wrap(publicKey, algorithm, Buffer.alloc(33, 7)),
            wrap(publicKey, algorithm, Buffer.alloc(32, 0)),
            wrap(publicKey, algorithm, Buffer.alloc(32, 0xff)),
            wrap(
              publicKey,
              algorithm === "RSA-OAEP-SHA256" ? "RSA-OAEP-SHA256+AES-KWP" : "RSA-OAEP-SHA256",
              Buffer.alloc(32, 7)
            )
          ]
          const said = yield* Effect.forEach(wrong, (bytes) =>
            Effect.flip(importKey({ tenantId, keyId: crypto.randomUUID(), network: "bsc", algorithm, bytes }))
          )
          assert.deepStrictEqual(
            [...new Set(said.map(({ _tag, message }) => `${_tag}: ${message}`))],
            [
              `WrappedKeyUnreadable: This cannot be unwrapped with ${algorithm}, or it does not hold the 32 bytes of a private key of bsc.`
            ]
          )
        })
      )
    )
  }

  it.effect("opens nothing for another tenant, under another master key, in another place, or altered", () =>
    over((vault) =>
      Effect.gen(function* () {
        const { publicAccount } = yield* vault()
        const [{ id: mine }, { id: theirs }] = [yield* newTenant(), yield* newTenant()]
        const store = yield* KeyStore
        const seedId = yield* putKnownSeed(mine)
        const ask = (tenantId: TenantId, id = seedId) => tagOf(publicAccount(tenantId, id, "bitcoin"))
        assert.strictEqual(yield* ask(theirs), "VaultError")
        assert.strictEqual(yield* ask(mine, crypto.randomUUID()), "VaultError")
        const other = yield* vault(two)
        assert.strictEqual(yield* tagOf(other.publicAccount(mine, seedId, "bitcoin")), "VaultError")
        const stored = yield* store.byId(mine, seedId)
        if (stored === undefined) return assert.fail("no seed")
        // the same sealing under another tenant
        yield* store.putFirst({ ...stored, tenantId: theirs })
        assert.strictEqual(yield* ask(theirs), "VaultError")
        const altered = stored.sealed.slice(0, -4) + (stored.sealed.endsWith("AAAA") ? "BBBB" : "AAAA")
        yield* store.reseal(stored, altered)
        assert.strictEqual(yield* ask(mine), "VaultError")
        return undefined
      })
    )
  )

  it.effect("signs digests of 32 bytes and nothing else", () =>
    over(() =>
      Effect.gen(function* () {
        const { signDigest } = yield* signing()
        const { id: tenantId } = yield* newTenant()
        const seedId = yield* putKnownSeed(tenantId)
        for (const length of [0, 31, 33]) {
          const ref = { _tag: "Issued", tenantId, seedId, network: "base", index: 0 } as const
          assert.strictEqual(yield* tagOf(signDigest(ref, randomBytes(length))), "VaultError")
        }
      })
    )
  )

  it.effect("does not tell as done what stands under the current id and another key", () =>
    over((vault) =>
      Effect.gen(function* () {
        const { id: tenantId } = yield* newTenant()
        yield* (yield* vault()).createSeed(tenantId)
        const writer = yield* Writer
        const box = Effect.provide(SecretBox, SecretBoxLive.layer(keysOf(one)))
        const secret = yield* (yield* box).seal(tenantId, Redacted.make("whsec_1"))
        yield* writer.submit(tenantId, addEndpoint({ url: "https://example.com", kinds: null, secret }))
        const other = keysOf(one.replace(/:.*/u, two.slice(two.indexOf(":"))))
        assert.strictEqual(other.current, keysOf(one).current)
        assert.strictEqual(yield* tagOf(reencryptKeys(other)), "VaultError")
        assert.strictEqual(yield* tagOf(reencryptSecrets(other)), "VaultError")
        assert.deepStrictEqual(yield* reencryptKeys(keysOf(one)), { changed: 0, current: 1 })
        assert.deepStrictEqual(yield* reencryptSecrets(keysOf(one)), { changed: 0, current: 1 })
      })
    )
  )

  it.effect("moves to a new master key without opening a secret, and needs the old one no more", () =>
    over((vault) =>
      Effect.gen(function* () {
        const { id: tenantId } = yield* newTenant()
        const seedId = yield* putKnownSeed(tenantId)
        const { wrappingKey } = yield* vault()
        const { publicKey } = yield* wrappingKey(tenantId)
        const writer = yield* Writer
        const queries = yield* Queries
        const box = (keys: string) => Effect.provide(SecretBox, SecretBoxLive.layer(keysOf(keys)))
        const sealed = yield* (yield* box(one)).seal(tenantId, Redacted.make("whsec_1"))
        const endpoint = yield* writer.submit(
          tenantId,
          addEndpoint({ url: "https://example.com", kinds: null, secret: sealed })
        )
        const staged = yield* (yield* box(two)).seal(tenantId, Redacted.make("whsec_2"))
        yield* writer.submit(tenantId, stageSecret(endpoint.id, staged))
        assert.strictEqual(yield* tagOf(reencryptKeys(keysOf(two))), "VaultError")
        assert.strictEqual(yield* tagOf(reencryptSecrets(keysOf(two))), "VaultError")
        assert.deepStrictEqual(yield* reencryptKeys(keysOf(`${two},${one}`)), { changed: 2, current: 0 })
        assert.deepStrictEqual(yield* reencryptKeys(keysOf(`${two},${one}`)), { changed: 0, current: 2 })
        // what a version before sealed under the vault's key is opened with it, once
        assert.strictEqual(yield* tagOf(reencryptSecrets(keysOf(two), keysOf(two).byId)), "VaultError")
        assert.deepStrictEqual(yield* reencryptSecrets(keysOf(two), keysOf(one).byId), { changed: 1, current: 0 })
        assert.deepStrictEqual(yield* reencryptSecrets(keysOf(two)), { changed: 0, current: 1 })
        const after = yield* vault(two)
        assert.strictEqual(yield* after.publicAccount(tenantId, seedId, "tron"), accounts.tron)
        assert.strictEqual((yield* after.wrappingKey(tenantId)).publicKey, publicKey)
        const [stored] = yield* queries.endpoints(tenantId)
        const opened = yield* box(two)
        assert.deepStrictEqual(
          [
            Redacted.value(yield* opened.open(tenantId, stored?.secret ?? "")),
            Redacted.value(yield* opened.open(tenantId, stored?.nextSecret ?? ""))
          ],
          ["whsec_1", "whsec_2"]
        )
        const before = yield* vault(one)
        assert.strictEqual(yield* tagOf(before.publicAccount(tenantId, seedId, "tron")), "VaultError")
      })
    )
  )

  it.effect("shows no secret: not in what it stores, answers, refuses or logs", () =>
    over((vault) =>
      Effect.gen(function* () {
        const logged: Array<string> = []
        const { id: tenantId } = yield* newTenant()
        const store = yield* KeyStore
        const secret = randomBytes(32)
        const seedId = yield* putKnownSeed(tenantId)
        const all = yield* Effect.gen(function* () {
          const the = yield* vault()
          const { publicKey } = yield* the.wrappingKey(tenantId)
          const bytes = wrap(publicKey, "RSA-OAEP-SHA256", secret)
          const given = { tenantId, keyId: crypto.randomUUID(), network: "tron", algorithm: "RSA-OAEP-SHA256" } as const
          const refused = yield* Effect.flip(the.importKey({ ...given, bytes: bytes.subarray(1) }))
          const broken = yield* Effect.flip(
            (yield* signing(two)).signDigest({ _tag: "Issued", tenantId, seedId, network: "bsc", index: 1 }, digest)
          )
          yield* Effect.logError("refused", refused, broken)
          return [
            the,
            yield* the.importKey({ ...given, bytes }),
            yield* the.publicAccount(tenantId, seedId, "ethereum"),
            yield* (yield* signing()).signDigest(
              { _tag: "Issued", tenantId, seedId, network: "bsc", index: 1 },
              digest
            ),
            yield* store.page(undefined, 100),
            refused,
            String(refused),
            broken,
            String(broken),
            broken.stack
          ]
        }).pipe(Effect.provide(Logger.layer([Logger.map(Logger.formatJson, (line) => void logged.push(line))])))
        const shown = JSON.stringify([all, logged])
        assert.isAbove(logged.length, 0)
        for (const bytes of [secret, knownSeed, Buffer.alloc(32, 1)]) {
          for (const encoding of ["hex", "base64", "base64url", "latin1"] as const) {
            assert.notInclude(shown, bytes.toString(encoding).replace(/=+$/u, ""))
          }
          assert.notInclude(shown, JSON.stringify([...bytes]).slice(1, -1))
        }
        // how a private extended key begins; three letters of it stand in random bytes now and then
        assert.notMatch(shown, /[xt]prv[1-9A-HJ-NP-Za-km-z]{20}/u)
        assert.notInclude(shown, "PRIVATE")
      })
    )
  )
})
