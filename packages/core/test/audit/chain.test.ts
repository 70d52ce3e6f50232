import { readAnchors, writeAnchor } from "@bursar/core/audit/anchorLines"
import { firstHash, type OperatorAction } from "@bursar/core/audit/AuditRecord"
import { type AuditSeal, digestOf, nextSeal, sealText } from "@bursar/core/audit/AuditSeal"
import { chained, hashOf } from "@bursar/core/audit/chained"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const action: OperatorAction = {
  actionId: "a",
  at: 1_700_000_000_000,
  operator: "olga",
  role: "treasurer",
  method: "POST",
  route: "/operator/v1/tenants/:tenantId",
  params: { tenantId: "t", other: "o" },
  status: null,
  requestId: "r",
  address: "::1",
  content: { digest: "d".repeat(64), values: "{}" }
}

describe("the log of operators' actions", () => {
  it.effect("is a chain: each link has the next number and the hash of the one before", () =>
    Effect.gen(function* () {
      const first = yield* chained(undefined, action)
      assert.deepStrictEqual([first.id, first.previousHash], [1, "0".repeat(64)])
      const second = yield* chained(first, action)
      assert.deepStrictEqual([second.id, second.previousHash], [2, first.hash])
      for (const { hash, ...link } of [first, second]) assert.strictEqual(yield* hashOf(link), hash)
    })
  )

  it.effect("shows a change of any field of a link", () =>
    Effect.gen(function* () {
      const { hash, ...link } = yield* chained(undefined, action)
      const changes: ReadonlyArray<Partial<typeof link>> = [
        { id: 2 },
        { previousHash: "1".repeat(64) },
        { actionId: "b" },
        { at: link.at + 1 },
        { operator: "otto" },
        { role: "viewer" },
        { method: "PUT" },
        { route: "/operator/v1/tenants" },
        { params: { tenantId: "u", other: "o" } },
        { params: { tenantId: "t" } },
        { params: {} },
        { status: 200 },
        { requestId: "s" },
        { address: "::2" },
        { content: null },
        { content: { digest: "e".repeat(64), values: "{}" } },
        { content: { digest: "d".repeat(64), values: "[]" } }
      ]
      const hashes = yield* Effect.forEach(changes, (change) => hashOf({ ...link, ...change }))
      assert.strictEqual(new Set([hash, ...hashes]).size, changes.length + 1)
    })
  )

  it.effect("hashes the parameters of a path in one order, whatever order they were read in", () =>
    Effect.gen(function* () {
      const { hash, ...link } = yield* chained(undefined, action)
      assert.strictEqual(yield* hashOf({ ...link, params: { other: "o", tenantId: "t" } }), hash)
    })
  )

  it.effect("keeps the hashes of all versions, those too that kept no content", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        (yield* chained(undefined, action)).hash,
        "3ee854b4cb89d709b3b73842789a78834f2f5afa6ee4247206df165841180d64"
      )
      assert.strictEqual(
        (yield* chained(undefined, { ...action, content: null })).hash,
        "5bce2135ae6d970450d04a6d89ed36fc4fa63478b6bb9c4cc30a0d98edf0c213"
      )
    })
  )
})

const seal: AuditSeal = {
  number: 3,
  fromId: 5,
  toId: 9,
  hash: "a".repeat(64),
  at: 1_700_000_000_000,
  keyId: "k",
  previous: "b".repeat(64),
  mac: "c".repeat(64)
}

describe("a seal of the log", () => {
  it.effect("goes on from where the one before ended, and names it", () =>
    Effect.gen(function* () {
      const head = { id: 9, hash: seal.hash }
      const made = { at: 7, keyId: "k" }
      const first = yield* nextSeal(undefined, head, made)
      assert.deepStrictEqual(first, { number: 1, fromId: 1, toId: 9, hash: seal.hash, ...made, previous: firstHash })
      const next = yield* nextSeal(seal, { id: 12, hash: "d".repeat(64) }, made)
      const previous = yield* digestOf(seal)
      assert.deepStrictEqual(next, { number: 4, fromId: 10, toId: 12, hash: "d".repeat(64), ...made, previous })
    })
  )

  it.effect("is over every field, and its digest is over its MAC too", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        sealText(seal),
        `["bursar audit seal v1",3,5,9,"${seal.hash}","2023-11-14T22:13:20.000Z","k","${seal.previous}"]`
      )
      const digest = "ac6d28aee07fb801049a3c9901ca7109919ed704e9019a5f73ff6f2cf1d448c8"
      assert.strictEqual(yield* digestOf(seal), digest)
      assert.notStrictEqual(yield* digestOf({ ...seal, mac: "d".repeat(64) }), digest)
    })
  )
})

describe("an anchor file", () => {
  const other = { ...seal, number: 4, fromId: 10, toId: 12 }
  const [one, two] = [writeAnchor(seal), writeAnchor(other)]

  it("gives back the seals that were written, in their order", () => {
    assert.deepStrictEqual(readAnchors(one + two), { seals: [seal, other], strange: [] })
    assert.deepStrictEqual(readAnchors(""), { seals: [], strange: [] })
    assert.deepStrictEqual(readAnchors(one.replace("\n", "\r\n") + two), { seals: [seal, other], strange: [] })
  })

  it("takes a line that a crash left unfinished for none, wherever it broke off", () => {
    for (let length = 0; length < two.length - 2; length++)
      assert.deepStrictEqual(readAnchors(one + two.slice(0, length)), { seals: [seal], strange: [] })
  })

  it("names the lines that are no seals", () => {
    const { mac: _, ...unsealed } = seal
    const strange = ["{}", JSON.stringify(unsealed), "x}", JSON.stringify({ ...seal, number: "3" })]
    assert.deepStrictEqual(readAnchors([one.trimEnd(), ...strange, two].join("\n")), {
      seals: [seal, other],
      strange: [2, 3, 4, 5]
    })
  })
})
