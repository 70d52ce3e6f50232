import { CustodyRefused } from "@bursar/core/port/KeyCustody"
import { keyCustodySuite } from "@bursar/testkit/suites/keyCustodySuite"
import { parseMasterKeys } from "@bursar/vault/MasterKeys"
import { makeSealedCustody, reencryptSealedCustody } from "@bursar/vault/SealedCustody"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const masterKeys = (byte: number) =>
  Result.getOrThrow(parseMasterKeys(Redacted.make(`test:${Buffer.alloc(32, byte).toString("base64")}`)))

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "bursar-custody-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const digest = new Uint8Array(32).fill(3)

keyCustodySuite(
  "sealed files",
  Effect.flatMap(folder, (path) =>
    Effect.map(makeSealedCustody(masterKeys(1), join(path, "keys")), (custody) => ({ custody }))
  )
)

it.effect("a key is on the disk sealed alone, for its owner to read, and is there for the next process", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const custody = yield* makeSealedCustody(masterKeys(1), path)
    const key = yield* custody.generate({ label: "a", curve: "secp256k1" })
    const [name = ""] = readdirSync(path)
    assert.strictEqual(name, `${key.keyId}.json`)
    assert.strictEqual(statSync(join(path, name)).mode & 0o777, 0o400)
    const next = yield* makeSealedCustody(masterKeys(1), path)
    assert.deepStrictEqual(yield* next.generate({ label: "a", curve: "secp256k1" }), key)
    assert.deepStrictEqual(yield* next.signDigest(key.keyId, digest), yield* custody.signDigest(key.keyId, digest))
  })
)

it.effect("a file that was altered, put in another's place, or sealed under another master key signs nothing", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const custody = yield* makeSealedCustody(masterKeys(1), path)
    const own = yield* custody.generate({ label: "own", curve: "secp256k1" })
    const thiefs = yield* custody.generate({ label: "thief", curve: "secp256k1" })
    const place = join(path, `${own.keyId}.json`)
    const original = readFileSync(place, "utf8")
    const foreign = readFileSync(join(path, `${thiefs.keyId}.json`), "utf8")
    const mixed = JSON.stringify({
      ...(JSON.parse(original) as object),
      sealed: (JSON.parse(foreign) as { readonly sealed: string }).sealed
    })
    chmodSync(place, 0o600)
    for (const bad of [foreign, mixed, "{", "", original.replace("secp256k1", "ed25519")]) {
      writeFileSync(place, bad)
      assert.instanceOf(yield* Effect.flip(custody.describe(own.keyId)), CustodyRefused)
      const refusal = yield* Effect.flip(custody.signDigest(own.keyId, digest))
      assert.instanceOf(refusal, CustodyRefused)
      assert.instanceOf(yield* Effect.flip(custody.generate({ label: "own", curve: "secp256k1" })), CustodyRefused)
    }
    writeFileSync(place, original)
    yield* custody.signDigest(own.keyId, digest)
    const other = yield* makeSealedCustody(masterKeys(2), path)
    assert.instanceOf(yield* Effect.flip(other.signDigest(own.keyId, digest)), CustodyRefused)
  })
)

it.effect("a key moves to a new master key unopened, signs on, and needs the old one no more", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const [old, next] = [1, 2].map((byte) => `k${byte}:${Buffer.alloc(32, byte).toString("base64")}`)
    const under = (...keys: ReadonlyArray<string | undefined>) =>
      Result.getOrThrow(parseMasterKeys(Redacted.make(keys.join(","))))
    const before = yield* makeSealedCustody(under(old), path)
    const { keyId, publicKey } = yield* before.generate({ label: "a", curve: "secp256k1" })
    yield* before.generate({ label: "b", curve: "ed25519" })
    assert.instanceOf(yield* Effect.flip(reencryptSealedCustody(under(next), path)), CustodyRefused)
    assert.deepStrictEqual(yield* reencryptSealedCustody(under(next, old), path), { changed: 2, current: 0 })
    assert.deepStrictEqual(yield* reencryptSealedCustody(under(next, old), path), { changed: 0, current: 2 })
    const after = yield* makeSealedCustody(under(next), path)
    assert.deepStrictEqual((yield* after.describe(keyId)).publicKey, publicKey)
    yield* after.signDigest(keyId, digest)
    assert.lengthOf(yield* after.list, 2)
    assert.instanceOf(yield* Effect.flip(before.signDigest(keyId, digest)), CustodyRefused)
    assert.lengthOf(readdirSync(path), 2)
  })
)

it.effect("keys under the id of the current master key, which does not open them, are not told as done", () =>
  Effect.gen(function* () {
    const path = yield* folder
    yield* (yield* makeSealedCustody(masterKeys(1), path)).generate({ label: "a", curve: "secp256k1" })
    assert.instanceOf(yield* Effect.flip(reencryptSealedCustody(masterKeys(2), path)), CustodyRefused)
    assert.deepStrictEqual(yield* reencryptSealedCustody(masterKeys(1), path), { changed: 0, current: 1 })
  })
)
