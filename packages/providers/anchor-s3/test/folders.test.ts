import type { AuditSeal } from "@bursar/core/audit/AuditSeal"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { keyOf } from "../src/internal/AnchorObject.ts"
import type { Objects } from "../src/internal/objects.ts"
import { readContent } from "../src/internal/readContent.ts"

const seal: AuditSeal = {
  number: 1,
  fromId: 1,
  toId: 1,
  hash: "0".repeat(64),
  at: 1_000,
  keyId: "test",
  previous: "0".repeat(64),
  mac: "a".repeat(64)
}

/** A store with the first seal under each of these prefixes. */
const storeOf = (prefixes: ReadonlyArray<string>): Objects => ({
  versions: Effect.succeed(
    prefixes.map((prefix) => ({ key: keyOf(prefix, 1), versionId: "1", isRemoval: false, at: 1 }))
  ),
  read: () => Effect.succeed(JSON.stringify({ seal, previous: null })),
  keysAfter: () => Effect.succeed([]),
  create: () => Effect.succeed(false)
})

describe("an anchor in a bucket with others", () => {
  it.effect("has its own seals alone", () =>
    Effect.gen(function* () {
      const store = storeOf(["audit/", "audit/staging/", "audit/older-"])
      const content = yield* readContent(store, { prefix: "audit/", place: "s3://bucket/audit/" })
      assert.deepStrictEqual(content, { seals: [seal], findings: [] })
      const elsewhere = yield* readContent(store, { prefix: "", place: "s3://bucket/" })
      assert.deepStrictEqual(elsewhere, { seals: [], findings: [] })
    })
  )
})
