import { CustodyRefused, CustodyUnavailable } from "@bursar/core/port/KeyCustody"
import { makeKmsCustody } from "@bursar/custody-aws-kms/KmsCustody"
import { makeKmsKeyWrapper } from "@bursar/custody-aws-kms/KmsKeyWrapper"
import { keyCustodySuite } from "@bursar/testkit/suites/keyCustodySuite"
import { assert, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { beforeAll, describe } from "vitest"
import { startStandInKms } from "./support/StandInKms.ts"

const digest = new Uint8Array(32).fill(5)

beforeAll(() => {
  process.env["AWS_ACCESS_KEY_ID"] = "test"
  process.env["AWS_SECRET_ACCESS_KEY"] = "test"
})

const standIn = Effect.acquireRelease(
  Effect.promise(() => startStandInKms()),
  ({ stop }) => Effect.promise(stop)
)

const custodyOf = ({ endpoint }: { readonly endpoint: string }) =>
  makeKmsCustody({ region: "eu-central-1", endpoint, attemptsMax: 3, timeoutMs: 5_000 })

keyCustodySuite(
  "aws-kms on a stand-in",
  Effect.gen(function* () {
    const kms = yield* standIn
    return { custody: yield* custodyOf(kms), loseSessions: Effect.sync(() => kms.dropConnections()) }
  }),
  { digests: 30 }
)

describe("a custody in AWS KMS", () => {
  const test = (what: string, body: Effect.Effect<void, unknown, Scope.Scope>) =>
    it.live(what, () => Effect.scoped(body))

  test(
    "a call that is throttled is made again, no more often than the bound, and is unavailable then",
    Effect.gen(function* () {
      const kms = yield* standIn
      const custody = yield* custodyOf(kms)
      const { keyId } = yield* custody.generate({ label: "a", curve: "secp256k1" })
      kms.fail("Sign", "ThrottlingException", 2)
      yield* custody.signDigest(keyId, digest)
      kms.fail("Sign", "KMSInternalException", 1, 500)
      yield* custody.signDigest(keyId, digest)
      kms.calls.length = 0
      kms.fail("Sign", "ThrottlingException", 50)
      assert.instanceOf(yield* Effect.flip(custody.signDigest(keyId, digest)), CustodyUnavailable)
      assert.lengthOf(kms.calls, 3)
    })
  )

  test(
    "a refusal is told by its name, without accounts and roles, and is not asked again",
    Effect.gen(function* () {
      const kms = yield* standIn
      const custody = yield* custodyOf(kms)
      const { keyId } = yield* custody.generate({ label: "a", curve: "secp256k1" })
      kms.calls.length = 0
      kms.fail("Sign", "AccessDeniedException", 1)
      const error = yield* Effect.flip(custody.signDigest(keyId, digest))
      assert.instanceOf(error, CustodyRefused)
      assert.include(error.message, "AccessDeniedException")
      assert.notInclude(error.message, "arn:")
      assert.lengthOf(kms.calls, 1)
    })
  )

  test(
    "a key that is disabled, deleted or imported is not used",
    Effect.gen(function* () {
      const kms = yield* standIn
      const custody = yield* custodyOf(kms)
      const { keyId } = yield* custody.generate({ label: "a", curve: "secp256k1" })
      for (const change of [{ state: "Disabled" }, { state: "PendingDeletion" }] as const) {
        kms.change(keyId, change)
        assert.instanceOf(yield* Effect.flip(custody.signDigest(keyId, digest)), CustodyRefused)
        assert.instanceOf(yield* Effect.flip(custody.describe(keyId)), CustodyRefused)
        assert.lengthOf(yield* custody.list, 0)
      }
      kms.change(keyId, { state: "Enabled", origin: "EXTERNAL" })
      const fresh = yield* custodyOf(kms)
      assert.instanceOf(yield* Effect.flip(fresh.signDigest(keyId, digest)), CustodyRefused)
    })
  )

  test(
    "whoever moves an alias puts no other key in a wallet's place",
    Effect.gen(function* () {
      const kms = yield* standIn
      const custody = yield* custodyOf(kms)
      const [own, thiefs] = yield* Effect.forEach(["own", "thief"], (label) =>
        custody.generate({ label, curve: "secp256k1" })
      )
      if (own === undefined || thiefs === undefined) return assert.fail("no keys")
      kms.pointAlias("alias/bursar/own", thiefs.keyId)
      assert.instanceOf(yield* Effect.flip(custody.generate({ label: "own", curve: "secp256k1" })), CustodyRefused)
      assert.strictEqual((yield* Effect.flip(custody.describe("alias/bursar/own")))._tag, "CustodyKeyUnknown")
      assert.strictEqual((yield* custody.describe(own.keyId)).label, "own")
    })
  )

  test(
    "a key of another service in the same account is not there",
    Effect.gen(function* () {
      const kms = yield* standIn
      const other = yield* makeKmsCustody({ region: "eu-central-1", endpoint: kms.endpoint, prefix: "others/" })
      const { keyId } = yield* other.generate({ label: "theirs", curve: "secp256k1" })
      const custody = yield* custodyOf(kms)
      assert.strictEqual((yield* Effect.flip(custody.signDigest(keyId, digest)))._tag, "CustodyKeyUnknown")
      assert.lengthOf(yield* custody.list, 0)
    })
  )

  test(
    "a signature of something else is given to nobody",
    Effect.gen(function* () {
      const kms = yield* standIn
      const custody = yield* custodyOf(kms)
      const one = yield* custody.generate({ label: "a", curve: "secp256k1" })
      const other = yield* custody.generate({ label: "b", curve: "ed25519" })
      kms.lie(true)
      assert.instanceOf(yield* Effect.flip(custody.signDigest(one.keyId, digest)), CustodyRefused)
      assert.instanceOf(yield* Effect.flip(custody.signMessage(other.keyId, digest)), CustodyRefused)
    })
  )

  test(
    "a KMS that does not answer is unavailable, and one without TLS elsewhere is never asked",
    Effect.gen(function* () {
      const kms = yield* standIn
      const custody = yield* custodyOf(kms)
      yield* Effect.promise(() => kms.stop())
      assert.instanceOf(yield* Effect.flip(custody.list), CustodyUnavailable)
      for (const endpoint of ["http://kms.example", "ftp://127.0.0.1", "kms.example"]) {
        assert.instanceOf(yield* Effect.flip(custodyOf({ endpoint })), CustodyRefused)
      }
    })
  )

  test(
    "what is wrapped unwraps for its purpose and under its key alone",
    Effect.gen(function* () {
      const { endpoint, wrappingKeyId } = yield* standIn
      const wrapper = yield* makeKmsKeyWrapper({ region: "eu-central-1", endpoint, wrappingKey: wrappingKeyId })
      const secret = new Uint8Array(32).fill(7)
      const wrapped = yield* wrapper.wrap("a", secret)
      assert.deepStrictEqual(yield* wrapper.unwrap("a", wrapped), secret)
      const other = yield* makeKmsKeyWrapper({ region: "eu-central-1", endpoint, wrappingKey: "another" })
      for (const refusal of [
        wrapper.unwrap("b", wrapped),
        wrapper.unwrap("a", wrapped.slice(1)),
        other.unwrap("a", wrapped)
      ]) {
        assert.instanceOf(yield* Effect.flip(refusal), CustodyRefused)
      }
    })
  )
})
