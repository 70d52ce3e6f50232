import type { CustodyCurve, CustodyKey, KeyCustody } from "@bursar/core/port/KeyCustody"
import type { VaultSignature } from "@bursar/core/port/Vault"
import { assert, layer as layerTests } from "@effect/vitest"
import { Context, Effect, Layer, type Scope } from "effect"
import fc from "fast-check"
import { createHash, createPublicKey, randomBytes, randomUUID, verify } from "node:crypto"
import * as ecc from "tiny-secp256k1"
import { type SuiteIt, type SuiteOptions, timeoutOf } from "./harness.ts"

/** A custody under test. */
export interface CustodyWorld {
  readonly custody: KeyCustody
  /** Makes the custody lose what it holds open (sessions, connections) as an outage would; absent where it holds nothing. */
  readonly loseSessions?: Effect.Effect<void>
}

/** What a custody may differ in. */
export interface CustodySuiteOptions extends SuiteOptions {
  /** The curves that it offers. Default both. Each other must be refused. */
  readonly curves?: ReadonlyArray<CustodyCurve>
  /** How many digests the property of recovery ids is tried with. Default 100. */
  readonly digests?: number
}

/** The custody that the tests of the suite ask. */
export class CustodyUnderTest extends Context.Service<CustodyUnderTest, CustodyWorld>()(
  "@bursar/testkit/suites/CustodyUnderTest"
) {}

const concurrent = 100
const halfOrder = Buffer.from("7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0", "hex")
const spkiEd25519 = Buffer.from("302a300506032b6570032100", "hex")

const newLabel = (): string => `test/${randomUUID()}`

const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest()

/** By a library that no custody uses: the lower `s`, valid, and the recovery id gives back the public key. */
const assertSignature = ({ bytes, recovery }: VaultSignature, digest: Uint8Array, { publicKey }: CustodyKey): void => {
  assert.lengthOf(bytes, 64)
  assert.isAtMost(Buffer.compare(Buffer.from(bytes.slice(32)), halfOrder), 0, "s is the higher one")
  assert.isTrue(ecc.verify(digest, publicKey, bytes, true))
  if (recovery !== 0 && recovery !== 1 && recovery !== 2 && recovery !== 3) return assert.fail(`recovery ${recovery}`)
  assert.deepStrictEqual(ecc.recover(digest, bytes, recovery, true), Uint8Array.from(publicKey))
}

const verifiesEd25519 = ({ publicKey }: CustodyKey, message: Uint8Array, signature: Uint8Array): boolean =>
  verify(
    null,
    message,
    createPublicKey({ key: Buffer.concat([spkiEd25519, publicKey]), format: "der", type: "spki" }),
    signature
  )

const plain = ({ publicKey, ...rest }: CustodyKey) => ({ ...rest, publicKey: Buffer.from(publicKey).toString("hex") })

/** The tests of the suite. */
export const keyCustodyTests = (it: SuiteIt<CustodyUnderTest>, options: CustodySuiteOptions = {}): void => {
  const { curves = ["secp256k1", "ed25519"], digests = 100 } = options
  const offers = (curve: CustodyCurve) => curves.includes(curve)
  const timeout = timeoutOf(options)
  const test = <A, E>(what: string, body: (world: CustodyWorld) => Effect.Effect<A, E, Scope.Scope>) =>
    it.effect(what, () => Effect.flatMap(CustodyUnderTest, body), timeout)

  for (const curve of ["secp256k1", "ed25519"] as const) {
    if (!offers(curve)) {
      test(`${curve} is refused, as it is not offered`, ({ custody }) =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(custody.generate({ label: newLabel(), curve }))
          assert.strictEqual(error._tag, "CustodyRefused")
        }))
      continue
    }
    test(`a key of ${curve} is there under its id, its label and in the list, and is the same when asked for again`, ({
      custody
    }) =>
      Effect.gen(function* () {
        const label = newLabel()
        const key = yield* custody.generate({ label, curve })
        assert.strictEqual(key.label, label)
        assert.strictEqual(key.curve, curve)
        assert.lengthOf(key.publicKey, curve === "secp256k1" ? 33 : 32)
        assert.deepStrictEqual(plain(yield* custody.describe(key.keyId)), plain(key))
        assert.deepStrictEqual(plain(yield* custody.generate({ label, curve })), plain(key))
        const found = (yield* custody.list).filter((one) => one.label === label)
        assert.deepStrictEqual(found.map(plain), [plain(key)])
        const other = yield* custody.generate({ label: newLabel(), curve })
        assert.notStrictEqual(other.keyId, key.keyId)
        assert.notDeepEqual(plain(other).publicKey, plain(key).publicKey)
      }))
  }

  for (const curve of curves)
    test(`those who ask for the same label of ${curve} at once get the same key`, ({ custody }) =>
      Effect.gen(function* () {
        const label = newLabel()
        const keys = yield* Effect.forEach(Array.from({ length: 5 }), () => custody.generate({ label, curve }), {
          concurrency: "unbounded"
        })
        assert.lengthOf(new Set(keys.map(({ keyId }) => keyId)), 1)
        assert.lengthOf(
          (yield* custody.list).filter((one) => one.label === label),
          1
        )
      }))

  test("labels that differ in little have keys of their own, each under the whole of its label", ({ custody }) =>
    Effect.gen(function* () {
      const start = newLabel()
      const longest = start.padEnd(127, "0")
      const labels = [
        ...["0", "1"].map((last) => `${longest}${last}`),
        start,
        ...["/0", "/1", "_0", "-0", "/00", "//0", "/a", "/A"].map((end) => `${start}${end}`)
      ]
      const keys = yield* Effect.forEach(labels, (label) => custody.generate({ label, curve: "secp256k1" }))
      assert.deepStrictEqual(
        keys.map(({ label }) => label),
        labels
      )
      for (const part of [keys.map(({ keyId }) => keyId), keys.map((key) => plain(key).publicKey)])
        assert.lengthOf(new Set(part), labels.length)
      const found = (yield* custody.list).filter(({ label }) => label.startsWith(start))
      assert.sameDeepMembers(found.map(plain), keys.map(plain))
      for (const [index, label] of labels.entries())
        assert.deepStrictEqual(
          [yield* custody.generate({ label, curve: "secp256k1" })].map(plain),
          keys.slice(index, index + 1).map(plain)
        )
    }))

  test("signatures of any digest have the lower s, verify, and give back the public key", ({ custody }) =>
    Effect.gen(function* () {
      const key = yield* custody.generate({ label: newLabel(), curve: "secp256k1" })
      const sign = (digest: Uint8Array) => Effect.runPromise(custody.signDigest(key.keyId, digest))
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(fc.uint8Array({ minLength: 32, maxLength: 32 }), async (digest) =>
            assertSignature(await sign(digest), digest, key)
          ),
          { numRuns: digests, examples: [[new Uint8Array(32).fill(0xff)], [new Uint8Array(32).fill(1)]] }
        )
      )
    }))

  test(`${concurrent} signatures at once are each of their own digest`, ({ custody }) =>
    Effect.gen(function* () {
      const keys = yield* Effect.forEach([newLabel(), newLabel()], (label) =>
        custody.generate({ label, curve: "secp256k1" })
      )
      yield* Effect.forEach(
        Array.from({ length: concurrent }, (_, index) => index),
        Effect.fnUntraced(function* (index) {
          const key = keys[index % 2] ?? assert.fail("no key")
          const digest = digestOf(`digest ${index}`)
          assertSignature(yield* custody.signDigest(key.keyId, digest), digest, key)
        }),
        { concurrency: "unbounded" }
      )
    }))

  if (offers("ed25519")) {
    test("messages of any length are signed with ed25519, as an independent library says", ({ custody }) =>
      Effect.gen(function* () {
        const key = yield* custody.generate({ label: newLabel(), curve: "ed25519" })
        for (const length of [1, 32, 33, 1_000]) {
          const message = randomBytes(length)
          const signature = yield* custody.signMessage(key.keyId, message)
          assert.isNull(signature.recovery)
          assert.isTrue(verifiesEd25519(key, message, signature.bytes))
          assert.isFalse(verifiesEd25519(key, Buffer.concat([message, Buffer.of(0)]), signature.bytes))
        }
      }))

    test("a key signs with its own curve alone, and a label keeps its curve", ({ custody }) =>
      Effect.gen(function* () {
        const [one, other] = [newLabel(), newLabel()]
        const secp256k1 = yield* custody.generate({ label: one, curve: "secp256k1" })
        const ed25519 = yield* custody.generate({ label: other, curve: "ed25519" })
        const refusals = [
          custody.signDigest(ed25519.keyId, digestOf("a")),
          custody.signMessage(secp256k1.keyId, digestOf("a")),
          Effect.asVoid(custody.generate({ label: one, curve: "ed25519" })),
          Effect.asVoid(custody.generate({ label: other, curve: "secp256k1" }))
        ]
        for (const refused of refusals) {
          assert.strictEqual((yield* Effect.flip(refused))._tag, "CustodyRefused")
        }
      }))
  }

  test("a digest of another length is refused", ({ custody }) =>
    Effect.gen(function* () {
      const { keyId } = yield* custody.generate({ label: newLabel(), curve: "secp256k1" })
      for (const length of [0, 20, 31, 33, 64]) {
        const error = yield* Effect.flip(custody.signDigest(keyId, new Uint8Array(length).fill(1)))
        assert.strictEqual(error._tag, "CustodyRefused")
      }
    }))

  test("a label that is none makes no key", ({ custody }) =>
    Effect.gen(function* () {
      const before = (yield* custody.list).length
      for (const label of ["", "-a", "../a", "a b", "a\u0000b", "ä", "a".repeat(129)]) {
        const error = yield* Effect.flip(custody.generate({ label, curve: "secp256k1" }))
        assert.strictEqual(error._tag, "CustodyRefused")
      }
      assert.lengthOf(yield* custody.list, before)
    }))

  test("a key that is not there is unknown, whatever its id looks like", ({ custody }) =>
    Effect.gen(function* () {
      for (const keyId of [randomUUID(), randomBytes(16).toString("hex"), "../../etc/passwd", "", "a b"]) {
        const all = [
          Effect.asVoid(custody.describe(keyId)),
          Effect.asVoid(custody.signDigest(keyId, digestOf("a"))),
          Effect.asVoid(custody.signMessage(keyId, digestOf("a")))
        ]
        for (const one of all) assert.strictEqual((yield* Effect.flip(one))._tag, "CustodyKeyUnknown")
      }
    }))

  test("nothing that it offers gives out a private key", ({ custody }) =>
    Effect.gen(function* () {
      const key = yield* custody.generate({ label: newLabel(), curve: "secp256k1" })
      assert.sameMembers(Object.keys(custody), ["name", "generate", "describe", "list", "signDigest", "signMessage"])
      assert.sameMembers(Object.keys(key), ["keyId", "label", "curve", "publicKey"])
    }))

  test("it goes on by itself after it has lost what it held open", ({ custody, loseSessions }) =>
    Effect.gen(function* () {
      if (loseSessions === undefined) return
      const key = yield* custody.generate({ label: newLabel(), curve: "secp256k1" })
      const digest = digestOf("before and after")
      assertSignature(yield* custody.signDigest(key.keyId, digest), digest, key)
      for (let times = 0; times < 3; times += 1) {
        yield* loseSessions
        assertSignature(yield* custody.signDigest(key.keyId, digest), digest, key)
      }
      const signing = Effect.forEach(
        Array.from({ length: concurrent }, (_, index) => digestOf(`lost ${index}`)),
        Effect.fnUntraced(function* (one) {
          assertSignature(yield* custody.signDigest(key.keyId, one), one, key)
        }),
        { concurrency: "unbounded" }
      )
      yield* Effect.all([signing, loseSessions], { concurrency: "unbounded" })
      yield* loseSessions
      assert.deepStrictEqual(plain(yield* custody.describe(key.keyId)), plain(key))
    }))
}

/** What every KeyCustody must do. */
export const keyCustodySuite = <E>(
  name: string,
  make: Effect.Effect<CustodyWorld, E, Scope.Scope>,
  options: CustodySuiteOptions = {}
): void => {
  layerTests(Layer.effect(CustodyUnderTest, make), { excludeTestServices: true, timeout: timeoutOf(options) })(
    `${name}: KeyCustody`,
    (it) => keyCustodyTests(it, options)
  )
}
