import { SecretBox } from "@bursar/core/port/SecretBox"
import { layer } from "@bursar/vault/MasterKeySecretBox"
import { parseMasterKeys } from "@bursar/vault/MasterKeys"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"

const one = `one:${Buffer.alloc(32, 1).toString("base64")}`
const two = `two:${Buffer.alloc(32, 2).toString("base64")}`
const box = (text: string) => layer(Result.getOrThrow(parseMasterKeys(Redacted.make(text))))
const seal = (keys: string, owner: string, secret: string) =>
  Effect.flatMap(SecretBox, (secrets) => secrets.seal(owner, Redacted.make(secret))).pipe(Effect.provide(box(keys)))
const open = (keys: string, owner: string, sealed: string) =>
  Effect.flatMap(SecretBox, (secrets) => secrets.open(owner, sealed)).pipe(
    Effect.map(Redacted.value),
    Effect.provide(box(keys))
  )

describe("the secret box", () => {
  it.effect("opens what it sealed, for its owner", () =>
    Effect.gen(function* () {
      const sealed = yield* seal(one, "endpoint-1", "whsec_€")
      assert.notInclude(sealed, "whsec")
      assert.strictEqual(yield* open(one, "endpoint-1", sealed), "whsec_€")
    })
  )

  it.effect("never seals the same secret the same way twice", () =>
    Effect.gen(function* () {
      assert.notStrictEqual(yield* seal(one, "a", "s"), yield* seal(one, "a", "s"))
    })
  )

  it.effect("opens under an older key after a rotation and seals under the newer", () =>
    Effect.gen(function* () {
      const old = yield* seal(one, "a", "s")
      assert.strictEqual(yield* open(`${two},${one}`, "a", old), "s")
      const fresh = yield* seal(`${two},${one}`, "a", "s")
      assert.strictEqual((yield* Effect.flip(open(one, "a", fresh)))._tag, "SecretUnreadable")
    })
  )

  it.effect("does not open for another owner, under another key, or after tampering", () =>
    Effect.gen(function* () {
      const sealed = yield* seal(one, "a", "s")
      const otherKey = `one:${Buffer.alloc(32, 9).toString("base64")}`
      const tampered = sealed.slice(0, -2) + (sealed.endsWith("AA") ? "BB" : "AA")
      for (const attempt of [
        open(one, "b", sealed),
        open(otherKey, "a", sealed),
        open(one, "a", tampered),
        open(one, "a", "v1.one.")
      ]) {
        assert.strictEqual((yield* Effect.flip(attempt))._tag, "SecretUnreadable")
      }
    })
  )

  it("refuses master keys that are short, unnamed or given twice, and never shows them", () => {
    for (const text of ["", "one:abc", Buffer.alloc(32).toString("base64"), `${one},${one}`]) {
      const parsed = parseMasterKeys(Redacted.make(text))
      assert.isTrue(Result.isFailure(parsed))
    }
    const parsed = Result.getOrThrow(parseMasterKeys(Redacted.make(one)))
    assert.notInclude(JSON.stringify([...parsed.byId]), "AQEB")
  })
})
