import { assert, describe, it } from "@effect/vitest"
import { parseKey } from "@bursar/core/access/KeyFormat"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Redacted } from "effect"
import { equalSecrets, makeMatcher, matchesHash } from "../../src/keys/hashKey.ts"
import { isSealOf, sealOf } from "../../src/keys/keySeal.ts"
import { makeKey } from "../../src/keys/makeKey.ts"

const pepper = Redacted.make("a pepper")
const tenant = { id: TenantId("019845e1-682f-7b02-a706-000000000001"), kind: "LIVE" } as const
const options = { prefix: "bsr", tenant, label: "test", scopes: ["transfers:*", "deposits:*"], pepper }

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

  it.effect("knows the key again that was right, and no other text for it, whatever came in between", () =>
    Effect.gen(function* () {
      const { record, secret } = yield* makeKey(options)
      const key = Redacted.value(secret)
      const wrong = [
        "",
        key.slice(0, -1),
        `${key} `,
        key.toUpperCase(),
        Redacted.value((yield* makeKey(options)).secret)
      ]
      const matches = makeMatcher(pepper, record.hash)
      for (const text of wrong) assert.isFalse(matches(text))
      for (let times = 0; times < 3; times++) {
        assert.isTrue(matches(key))
        for (const text of [...wrong, ...wrong]) assert.isFalse(matches(text))
      }
      // of another pepper, or of a key that was changed, nothing is right, however often it is tried
      for (const none of [
        makeMatcher(Redacted.make("another pepper"), record.hash),
        makeMatcher(pepper, "0".repeat(64))
      ])
        for (let times = 0; times < 3; times++) assert.isFalse(none(key))
    })
  )

  it.effect("expands wildcards, but never to what is granted by name alone", () =>
    Effect.gen(function* () {
      const { record } = yield* makeKey(options)
      assert.deepStrictEqual(record.scopes, ["deposits:read", "deposits:write", "transfers:read", "transfers:write"])
    })
  )

  it.effect("seals what the key may do: no part of it can change without the pepper", () =>
    Effect.gen(function* () {
      const { record } = yield* makeKey({ ...options, expiresAt: 1_900_000_000_000 })
      const facts = { ...record, tenantId: tenant.id, kind: tenant.kind }
      const seal = String(record.seal)
      assert.strictEqual(seal, sealOf(pepper, facts))
      assert.isTrue(isSealOf(pepper, { ...facts, scopes: facts.scopes.toReversed() }, seal))
      assert.isFalse(isSealOf(Redacted.make("another pepper"), facts, seal))
      const changes = [
        { id: "AAAAAAAA" },
        { tenantId: TenantId("019845e1-682f-7b02-a706-000000000002") },
        { kind: "SANDBOX" as const },
        { scopes: [...facts.scopes, "withdrawals:write"] },
        { scopes: [] },
        { expiresAt: null },
        { expiresAt: 1_900_000_000_001 },
        { hash: "0".repeat(64) }
      ]
      for (const change of changes)
        assert.isFalse(isSealOf(pepper, { ...facts, ...change }, seal), JSON.stringify(change))
      for (const junk of ["", "00", "zz".repeat(32), `${seal}00`]) assert.isFalse(isSealOf(pepper, facts, junk), junk)
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
