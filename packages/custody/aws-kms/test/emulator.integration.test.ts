import { CreateKeyCommand, DisableKeyCommand, KMSClient } from "@aws-sdk/client-kms"
import { CustodyRefused } from "@bursar/core/port/KeyCustody"
import { makeKmsCustody } from "@bursar/custody-aws-kms/KmsCustody"
import { makeKmsKeyWrapper } from "@bursar/custody-aws-kms/KmsKeyWrapper"
import { keyCustodySuite } from "@bursar/testkit/suites/keyCustodySuite"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { beforeAll, describe } from "vitest"
import { localStack, localStackUrl, moto, motoUrl } from "./support/emulators.ts"

const region = "eu-central-1"

class Endpoint extends Context.Service<Endpoint, string>()("test/Endpoint") {}

beforeAll(() => {
  process.env["AWS_ACCESS_KEY_ID"] = "test"
  process.env["AWS_SECRET_ACCESS_KEY"] = "test"
})

describe.skipIf(localStack.found === undefined)(`KMS of LocalStack${localStack.skipped}`, () => {
  keyCustodySuite(
    "aws-kms",
    Effect.gen(function* () {
      const custody = yield* makeKmsCustody({ region, endpoint: yield* localStackUrl })
      return { custody }
    }),
    // LocalStack knows no ed25519
    { curves: ["secp256k1"], digests: 50 }
  )

  layer(Layer.effect(Endpoint, localStackUrl), { excludeTestServices: true, timeout: 60_000 })("its own keys", (it) => {
    it.effect("a key that an administrator disables signs no more", () =>
      Effect.gen(function* () {
        const endpoint = yield* Endpoint
        const custody = yield* makeKmsCustody({ region, endpoint })
        const { keyId } = yield* custody.generate({ label: "disabled", curve: "secp256k1" })
        const digest = new Uint8Array(32).fill(5)
        yield* custody.signDigest(keyId, digest)
        const client = new KMSClient({ region, endpoint })
        yield* Effect.promise(() => client.send(new DisableKeyCommand({ KeyId: keyId })))
        client.destroy()
        assert.instanceOf(yield* Effect.flip(custody.signDigest(keyId, digest)), CustodyRefused)
        assert.instanceOf(yield* Effect.flip(custody.describe(keyId)), CustodyRefused)
      })
    )
  })
})

describe.skipIf(moto.found === undefined)(`KMS of moto${moto.skipped}`, () => {
  layer(Layer.effect(Endpoint, motoUrl), { excludeTestServices: true, timeout: 60_000 })("a wrapping key", (it) => {
    it.effect("a master key wraps and unwraps under a symmetric key, for its purpose alone", () =>
      Effect.gen(function* () {
        const endpoint = yield* Endpoint
        const client = new KMSClient({ region, endpoint })
        const made = yield* Effect.promise(() => client.send(new CreateKeyCommand({})))
        client.destroy()
        const wrapper = yield* makeKmsKeyWrapper({ region, endpoint, wrappingKey: made.KeyMetadata?.KeyId ?? "" })
        const secret = new Uint8Array(32).fill(7)
        const wrapped = yield* wrapper.wrap("master key a", secret)
        assert.deepStrictEqual(yield* wrapper.unwrap("master key a", wrapped), secret)
        const altered = wrapped.with(wrapped.length - 1, (wrapped.at(-1) ?? 0) ^ 1)
        for (const refusal of [wrapper.unwrap("master key b", wrapped), wrapper.unwrap("master key a", altered)]) {
          assert.instanceOf(yield* Effect.flip(refusal), CustodyRefused)
        }
      })
    )
  })
})
