import { assert, describe, it } from "@effect/vitest"
import { parseKey } from "@bursar/core/access/KeyFormat"
import { Effect, Redacted } from "effect"
import { equalSecrets, matchesHash } from "../../src/keys/hashKey.ts"
import { makeKey } from "../../src/keys/makeKey.ts"

const pepper = Redacted.make("a pepper")
const options = { prefix: "bsr", kind: "LIVE" as const, label: "test", scopes: ["transfers:*", "deposits:*"], pepper }

describe("makeKey", () => {
  it.effect("makes a key that can be read, and keeps only its hash", () =>
    Effect.gen(function* () {
      const { record, secret } = yield* makeKey(options)
      const key = Redacted.value(secret)
      assert.deepStrictEqual(parseKey(key), { prefix: "bsr", environment: "live", id: record.id })
      assert.isTrue(key.startsWith(record.prefix))
      assert.isTrue(matchesHash(pepper, key, record.hash))
      assert.isFalse(matchesHash(Redacted.make("another pepper"), key, record.hash))
      assert.notInclude(JSON.stringify(record), key.slice(-49))
    })
  )

  it.effect("expands wildcards, but never to what is granted by name alone", () =>
    Effect.gen(function* () {
      const { record } = yield* makeKey(options)
      assert.deepStrictEqual(record.scopes, ["deposits:read", "deposits:write", "transfers:read", "transfers:write"])
    })
  )

  it.effect("makes another key each time", () =>
    Effect.gen(function* () {
      const keys = yield* Effect.forEach(Array.from({ length: 100 }), () => makeKey(options))
      assert.strictEqual(new Set(keys.map(({ secret }) => Redacted.value(secret))).size, 100)
    })
  )
})

describe("equalSecrets", () => {
  it("compares whole secrets", () => {
    assert.isTrue(equalSecrets(Redacted.make("token"), "token"))
    for (const other of ["", "toke", "tokem", "token "]) assert.isFalse(equalSecrets(Redacted.make("token"), other))
  })
})
