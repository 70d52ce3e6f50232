import { CustodyRefused } from "@bursar/core/port/KeyCustody"
import { makePkcs11Custody } from "@bursar/custody-pkcs11/Pkcs11Custody"
import { makePkcs11KeyWrapper } from "@bursar/custody-pkcs11/Pkcs11KeyWrapper"
import { keyCustodySuite } from "@bursar/testkit/suites/keyCustodySuite"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { afterAll, beforeAll, describe, vi } from "vitest"
import { newTokens, softHsm, testPin } from "./support/softHsm.ts"

const { binding, module = "", skipped } = softHsm
const token = "bursar-test"
const options = { module, token, pin: Redacted.make(testPin) }

/** The module itself, as another program in the process would use it. */
const bare = () => {
  if (binding === undefined) throw new Error("there is no binding")
  const hsm = new binding.PKCS11()
  hsm.load(module)
  const slot = hsm.C_GetSlotList(true).find((one) => hsm.C_GetTokenInfo(one).label.startsWith(token))
  if (slot === undefined) throw new Error("there is no token")
  return { constants: binding, hsm, slot }
}

const loseSessions = Effect.sync(() => {
  const { hsm, slot } = bare()
  hsm.C_CloseAllSessions(slot)
})

describe.skipIf(skipped !== "")(`a token of SoftHSM${skipped}`, () => {
  let tokens = { remove: () => {} }
  beforeAll(() => {
    tokens = newTokens([token, "twice", "twice"])
  })
  afterAll(() => tokens.remove())

  keyCustodySuite(
    "pkcs11",
    Effect.map(makePkcs11Custody(options), (custody) => ({ custody, loseSessions }))
  )

  it.live("a private key is sensitive, cannot be extracted or made so, and its value is not given out", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const custody = yield* makePkcs11Custody(options)
        const key = yield* custody.generate({ label: "kept", curve: "secp256k1" })
        const { constants, hsm, slot } = bare()
        const session = hsm.C_OpenSession(slot, constants.CKF_RW_SESSION | constants.CKF_SERIAL_SESSION)
        hsm.C_FindObjectsInit(session, [
          { type: constants.CKA_CLASS, value: constants.CKO_PRIVATE_KEY },
          { type: constants.CKA_ID, value: Buffer.from(key.keyId, "hex") }
        ])
        const [object] = hsm.C_FindObjects(session, 2)
        hsm.C_FindObjectsFinal(session)
        if (object === undefined) return assert.fail("no object")
        assert.throws(
          () => hsm.C_GetAttributeValue(session, object, [{ type: constants.CKA_VALUE }]),
          /CKR_ATTRIBUTE_SENSITIVE/u
        )
        for (const change of [
          { type: constants.CKA_EXTRACTABLE, value: true },
          { type: constants.CKA_SENSITIVE, value: false }
        ]) {
          assert.throws(() => hsm.C_SetAttributeValue(session, object, [change]), /CKR_/u)
        }
        hsm.C_CloseSession(session)
        return undefined
      })
    )
  )

  it.live("a key that somebody put on the token, or that can be extracted, is never used", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const custody = yield* makePkcs11Custody(options)
        yield* custody.generate({ label: "another", curve: "secp256k1" })
        const { constants, hsm, slot } = bare()
        const session = hsm.C_OpenSession(slot, constants.CKF_RW_SESSION | constants.CKF_SERIAL_SESSION)
        const id = Buffer.from("0a0b0c", "hex")
        const common = [
          { type: constants.CKA_TOKEN, value: true },
          { type: constants.CKA_ID, value: id },
          { type: constants.CKA_LABEL, value: "bursar/planted" }
        ]
        hsm.C_GenerateKeyPair(
          session,
          { mechanism: constants.CKM_EC_KEY_PAIR_GEN },
          [...common, { type: constants.CKA_EC_PARAMS, value: Buffer.from("06052b8104000a", "hex") }],
          [
            ...common,
            { type: constants.CKA_PRIVATE, value: true },
            { type: constants.CKA_SIGN, value: true },
            { type: constants.CKA_SENSITIVE, value: false },
            { type: constants.CKA_EXTRACTABLE, value: true }
          ]
        )
        hsm.C_CloseSession(session)
        const attempts = [
          Effect.asVoid(custody.generate({ label: "planted", curve: "secp256k1" })),
          Effect.asVoid(custody.describe("0a0b0c")),
          Effect.asVoid(custody.signDigest("0a0b0c", new Uint8Array(32).fill(1)))
        ]
        for (const attempt of attempts) assert.instanceOf(yield* Effect.flip(attempt), CustodyRefused)
        assert.notInclude(
          (yield* custody.list).map(({ label }) => label),
          "planted"
        )
      })
    )
  )

  it.live("keys outside of the prefix are not there", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const custody = yield* makePkcs11Custody(options)
        const other = yield* makePkcs11Custody({ ...options, prefix: "others/" })
        const { keyId } = yield* other.generate({ label: "theirs", curve: "secp256k1" })
        const error = yield* Effect.flip(custody.signDigest(keyId, new Uint8Array(32).fill(1)))
        assert.strictEqual(error._tag, "CustodyKeyUnknown")
      })
    )
  )

  it.live("a wrong PIN is tried once, so that nobody locks the token by asking again", () =>
    Effect.scoped(
      Effect.gen(function* () {
        if (binding === undefined) return
        const logins = vi.spyOn(binding.PKCS11.prototype, "C_Login")
        const wrong = yield* makePkcs11Custody({ ...options, pin: Redacted.make("not-the-pin") })
        const errors = yield* Effect.all(
          Array.from({ length: 5 }, () => Effect.flip(wrong.list)),
          { concurrency: "unbounded" }
        )
        for (const error of errors) {
          assert.instanceOf(error, CustodyRefused)
          assert.notInclude(error.message, "not-the-pin")
        }
        assert.strictEqual(logins.mock.calls.length, 1)
        logins.mockRestore()
        const right = yield* makePkcs11Custody(options)
        yield* right.list
      })
    )
  )

  it.live("a token that is not there is unavailable, and one whose label two have is refused", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const missing = yield* makePkcs11Custody({ ...options, token: "nowhere" })
        assert.strictEqual((yield* Effect.flip(missing.list))._tag, "CustodyUnavailable")
        const twice = yield* makePkcs11Custody({ ...options, token: "twice" })
        assert.strictEqual((yield* Effect.flip(twice.list))._tag, "CustodyRefused")
        const error = yield* Effect.flip(makePkcs11Custody({ ...options, module: "/nowhere.so" }))
        assert.strictEqual(error._tag, "CustodyUnavailable")
      })
    )
  )

  it.live("what is wrapped on the token unwraps there, for its purpose alone, and not once it was altered", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const wrapper = yield* makePkcs11KeyWrapper({ ...options, label: "master-wrapping" })
        const secret = new Uint8Array(32).fill(7)
        assert.strictEqual((yield* Effect.flip(wrapper.unwrap("a", new Uint8Array(60))))._tag, "CustodyRefused")
        const wrapped = yield* wrapper.wrap("a", secret)
        assert.deepStrictEqual(yield* wrapper.unwrap("a", wrapped), secret)
        assert.notDeepEqual(yield* wrapper.wrap("a", secret), wrapped)
        const again = yield* makePkcs11KeyWrapper({ ...options, label: "master-wrapping" })
        assert.deepStrictEqual(yield* again.unwrap("a", wrapped), secret)
        const other = yield* makePkcs11KeyWrapper({ ...options, label: "other-wrapping" })
        yield* other.wrap("a", secret)
        const altered = wrapped.slice()
        altered[20] = (altered[20] ?? 0) ^ 1
        const refusals = [
          wrapper.unwrap("b", wrapped),
          wrapper.unwrap("a", altered),
          wrapper.unwrap("a", wrapped.slice(0, 20)),
          other.unwrap("a", wrapped)
        ]
        for (const refusal of refusals) assert.strictEqual((yield* Effect.flip(refusal))._tag, "CustodyRefused")
      })
    )
  )
})
