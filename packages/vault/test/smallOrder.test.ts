import { generateSigningKey } from "@bursar/api/signature/Ed25519"
import * as OfPartners from "@bursar/api/signature/smallOrder"
import * as OfApprovers from "@bursar/core/base/smallOrder"
import { smallOrderKeys } from "@bursar/testkit/fixtures/smallOrder"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { nodeProof } from "../src/internal/nodeProof.ts"

describe("a key of small order, in the proof by which the signer goes", () => {
  it.effect.each(smallOrderKeys)("verifies nothing: %s", (x) =>
    Effect.gen(function* () {
      const { _tag } = yield* Effect.flip(nodeProof.verify({ x }, new Uint8Array(64), new Uint8Array([1])))
      assert.strictEqual(_tag, "KeyUnreadable")
    })
  )

  it.effect("is the same for keys of partners as for those of approvers, and no key that somebody has", () =>
    Effect.gen(function* () {
      const { publicJwk } = yield* generateSigningKey
      const judged = [...smallOrderKeys, publicJwk.x].map((text) => {
        const bytes = Buffer.from(text, "base64url")
        return [OfPartners.isOfSmallOrder(bytes), OfApprovers.isOfSmallOrder(bytes)]
      })
      assert.deepStrictEqual(judged, [...smallOrderKeys.map(() => [true, true]), [false, false]])
    })
  )
})
