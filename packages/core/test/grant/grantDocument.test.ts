import { type Canonical, canonicalText } from "@bursar/core/grant/canonical"
import { grantDiff } from "@bursar/core/grant/grantDiff"
import { grantBytesMax, type GrantDocument, grantText, readGrant, readValues } from "@bursar/core/grant/GrantDocument"
import { genesisOf, grantHash } from "@bursar/core/grant/grantHash"
import { parseGrantRoot } from "@bursar/core/grant/GrantRoot"
import { policyOf, policyValues } from "@bursar/core/grant/PolicyValues"
import { defaultPolicy, type TenantPolicy } from "@bursar/core/tenant/Tenant"
import { grantTenant, testApprover, testRoot } from "@bursar/testkit/fixtures/grants"
import { assert, describe, it } from "@effect/vitest"
import canonicalize from "canonicalize"
import { Effect, Result } from "effect"
import fc from "fast-check"

const golden: GrantDocument = {
  version: "bursar.grant.v1",
  tenant: grantTenant,
  number: "1",
  previous: "00".repeat(32),
  fleet: { number: "0", hash: "11".repeat(32) },
  kind: "adjustment",
  subject: "a1",
  values: { id: "a1", currency: "EUR", units: "-1250", against: "bank", reason: 'Überweisung "7"' },
  note: "",
  proposed_by: "olga",
  proposed_at: "2026-11-23T09:00:00.000Z",
  expires_at: "2026-11-24T09:00:00.000Z"
}

const goldenText = [
  '{"expires_at":"2026-11-24T09:00:00.000Z","fleet":{"hash":"1111111111111111111111111111111111111111111111111111111111111111","number":"0"},',
  '"kind":"adjustment","note":"","number":"1","previous":"0000000000000000000000000000000000000000000000000000000000000000",',
  '"proposed_at":"2026-11-23T09:00:00.000Z","proposed_by":"olga","subject":"a1","tenant":"019845e1-682f-4b02-a706-3b2422d13aec",',
  '"values":{"against":"bank","currency":"EUR","id":"a1","reason":"Überweisung \\"7\\"","units":"-1250"},"version":"bursar.grant.v1"}'
].join("")

describe("the writing of a grant", () => {
  it.effect("and its hash stay what they are: another would break every chain that is stored", () =>
    Effect.gen(function* () {
      assert.strictEqual(grantText(golden), goldenText)
      // computed apart from this code, with Python's hashlib and json
      assert.strictEqual(
        yield* grantHash(goldenText),
        "cd7fa9f770145e90faf2c8a3bb948ae460e3909b0208cef36441a3e4b4cfd7dd"
      )
      assert.deepStrictEqual(Result.getOrThrow(readGrant(goldenText)), golden)
      const root = testRoot([yield* testApprover("ann", 1)], 1)
      assert.strictEqual(
        yield* genesisOf(root, null),
        "1d376d87a10fdc0867c25fad9a6c774bf9eeeb401149672c3d94dc5efaaa8393"
      )
      assert.strictEqual(
        yield* genesisOf(root, grantTenant),
        "eb8eda17bf57a1bd9802d6bef1f3044c10d221ded069ffc97a66d51bc83e2b54"
      )
    })
  )

  it("takes the id of a partner's key with whatever sign it begins", () => {
    const values = { api_key_id: "AAAAAAAA", public_key: "A".repeat(43), state: "ACTIVE" as const }
    const read = (keyid: string) =>
      readGrant(
        grantText({ ...golden, kind: "signing_key", subject: `AAAAAAAA|${keyid}`, values: { ...values, keyid } })
      )
    for (const first of ["a", "Z", "0", "-", "_"]) {
      assert.isTrue(Result.isSuccess(read(first + "oqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U")), first)
    }
    for (const junk of ["", "a b", "é", "a".repeat(129)]) assert.isTrue(Result.isFailure(read(junk)), junk)
  })

  it("is that of RFC 8785", () => {
    const { tree } = fc.letrec<{ readonly tree: Parameters<typeof canonicalText>[0] }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.string({ unit: "binary" }).filter((text) => text.isWellFormed()),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie("tree"), { maxLength: 4 }),
        fc.dictionary(
          fc.string({ unit: "binary" }).filter((text) => text.isWellFormed()),
          tie("tree"),
          { maxKeys: 4 }
        )
      )
    }))
    fc.assert(fc.property(tree, (value) => assert.strictEqual(canonicalText(value), canonicalize(value))))
  })

  it("has no half of a surrogate pair", () => {
    assert.throws(() => canonicalText({ a: "\ud800" }))
  })

  it("is the only one that is read", () => {
    const members = Object.entries(JSON.parse(goldenText) as object)
    fc.assert(
      fc.property(fc.shuffledSubarray(members, { minLength: members.length }), (order) => {
        const text = JSON.stringify(Object.fromEntries(order))
        const read = readGrant(text)
        assert.strictEqual(Result.isSuccess(read), text === goldenText)
      })
    )
  })
})

describe("a text that is no grant", () => {
  const codeOf = (text: string) =>
    Result.match(readGrant(text), { onSuccess: () => "read", onFailure: ({ code }) => code })

  it("is too long by its bytes, reads as none, or is written otherwise", () => {
    assert.strictEqual(codeOf(goldenText), "read")
    assert.strictEqual(codeOf(` ${goldenText}`), "not_canonical")
    for (const text of ["", "no JSON", "{}", goldenText.replace("bursar.grant.v1", "bursar.grant.v2")])
      assert.strictEqual(codeOf(text), "unreadable", text)
    for (const filled of ["x", "é"]) {
      const most = filled.repeat(grantBytesMax / Buffer.byteLength(filled))
      assert.strictEqual(codeOf(most), "unreadable")
      assert.strictEqual(codeOf(`${most}x`), "oversize")
    }
  })

  it("says nothing beside what its kind has", () => {
    const { kind, values } = golden
    const reads = (more: object, inside: object) =>
      Result.isSuccess(readValues({ kind, values: { ...values, ...inside }, ...more }))
    assert.isTrue(reads({}, {}))
    assert.isFalse(reads({ more: "1" }, {}))
    assert.isFalse(reads({}, { more: "1" }))
  })
})

describe("the root", () => {
  const root = Effect.map(Effect.all([testApprover("ann", 1), testApprover("bob", 2)]), (people) => testRoot(people, 2))

  it.effect("is read from its text", () =>
    Effect.gen(function* () {
      const given = { ...(yield* root), relying_party: { rp_id: "localhost", origins: ["http://localhost:8081"] } }
      assert.deepStrictEqual(parseGrantRoot(JSON.stringify(given)), Result.succeed(given))
    })
  )

  it.effect("with a quorum that nobody reaches, somebody twice or something more is refused", () =>
    Effect.gen(function* () {
      const given = yield* root
      const [ann] = given.approvers
      for (const wrong of [
        { ...given, quorum: "3" },
        { ...given, quorum: "0" },
        { ...given, quorums: { policy: "3" } },
        { ...given, approvers: [ann, ann] },
        { ...given, approvers: [ann, { ...ann, id: "eve" }] },
        { ...given, approvers: [] },
        { ...given, chain: "1" },
        []
      ])
        assert.isTrue(Result.isFailure(parseGrantRoot(JSON.stringify(wrong))), JSON.stringify(wrong))
      assert.isTrue(Result.isFailure(parseGrantRoot("no JSON")))
    })
  )
})

/** An ES256 key as COSE, in CTAP2's form and in others that decode to the same key. */
const [x, y] = ["11".repeat(32), "22".repeat(32)]
const inOneForm = `a5010203262001215820${x}225820${y}`
const inOtherForms = [
  `a5225820${y}215820${x}200103260102`, // members in another order
  `a501020326200121590020${x}225820${y}`, // a length written in two bytes
  `a6010203262001215820${x}225820${y}0440`, // a key id
  `bf010203262001215820${x}225820${y}ff`, // a map of no told length
  `${inOneForm}00` // something behind it
]

describe("passkeys of two people", () => {
  const withPasskeys = Effect.fnUntraced(function* (...keys: ReadonlyArray<string>) {
    const given = testRoot(yield* Effect.all([testApprover("ann", 1), testApprover("bob", 2)]), 2)
    const passkey = (key: string, at: number) => ({
      type: "passkey",
      credential_id: Buffer.from(`credential ${at} of ours`).toString("base64url"),
      public_key: Buffer.from(key, "hex").toString("base64url")
    })
    const approvers = given.approvers.map((one, at) => ({
      ...one,
      keys: keys.slice(at, at + 1).map((key) => passkey(key, at))
    }))
    return parseGrantRoot(JSON.stringify({ ...given, approvers }))
  })

  it.effect("are read", () =>
    Effect.gen(function* () {
      const root = yield* withPasskeys(inOneForm, inOneForm.replace(x, "33".repeat(32)))
      assert.isTrue(Result.isSuccess(root), JSON.stringify(root))
    })
  )

  it.effect("are not the same key written in two ways", () =>
    Effect.gen(function* () {
      for (const other of [inOneForm, ...inOtherForms])
        assert.isTrue(Result.isFailure(yield* withPasskeys(inOneForm, other)), other)
    })
  )
})

describe("a policy", () => {
  it("is the same after it was a grant", () => {
    const given = {
      ...defaultPolicy,
      ipAllowlist: ["::1/128", "10.0.0.0/8"],
      ceilingPerMinute: 60,
      payoutMinimums: { USDC_ETH: "0.5" },
      payoutReviewUsd: null
    }
    const said = (policy: TenantPolicy) => policyValues({ kind: "LIVE", policy })
    assert.deepStrictEqual(policyOf(said(given)), given)
    assert.strictEqual(said({ ...given, payoutLimitUsd: "100.50" }).payout_limit_usd, "100.5")
    assert.strictEqual(said({ ...given, payoutLimitUsd: "100" }).payout_limit_usd, "100")
  })
})

describe("the difference that people are shown", () => {
  it("names what changes, by its path", () => {
    assert.deepStrictEqual(
      grantDiff({ a: "1", list: ["x", "y"], same: true }, { a: "2", list: ["y"], same: true, more: { b: null } }),
      [
        { path: "a", from: "1", to: "2" },
        { path: "list[x]", from: "x", to: null },
        { path: "more.b", from: null, to: "(null)" }
      ]
    )
    assert.deepStrictEqual(grantDiff(undefined, { a: "1" }), [{ path: "a", from: null, to: "1" }])
  })

  it("shows no two values alike, nor one as something that is not there", () => {
    const shown = (value: Canonical) => grantDiff(undefined, { memo: value })[0]?.to
    const texts = ["null", "(null)", "(nothing)", "–", "", "true", "false", "[]", '"null"', "a → b", "nuIl", " null"]
    const all = [...texts, null, true, false, []].map(shown)
    assert.strictEqual(new Set(all).size, all.length)
    for (const absent of ["(nothing)", "–"]) assert.notInclude(all, absent)
    assert.deepStrictEqual([null, "null", "", "a → b", "– ", "(null)", true, "true"].map(shown), [
      "(null)",
      '"null"',
      '""',
      '"a → b"',
      '"– "',
      '"(null)"',
      "true",
      '"true"'
    ])
    // what people compare most stands as it is
    for (const text of [
      "0x71C7",
      "GA7Q",
      "-100",
      "500.5",
      "::1/128",
      "_key-of-64",
      "A thief's",
      "2026-11-23T09:00:00.000Z"
    ])
      assert.strictEqual(shown(text), text)
    // a change from one to the other is a change
    assert.deepStrictEqual(grantDiff({ limit: "true" }, { limit: true }), [
      { path: "limit", from: '"true"', to: "true" }
    ])
    const one = fc.oneof(fc.constantFrom<Canonical>(...texts, null, true, false), fc.string())
    fc.assert(
      fc.property(one, one, (from, to) => {
        assert.strictEqual(grantDiff({ from }, { from: to }).length, from === to ? 0 : 1)
      })
    )
  })

  it("is empty exactly where nothing changes", () => {
    const value = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.boolean(), fc.array(fc.string())))
    fc.assert(
      fc.property(value, (one) => {
        assert.deepStrictEqual(grantDiff(one, structuredClone(one)), [])
        assert.isNotEmpty(grantDiff(one, { ...one, "another key": "" }))
      })
    )
  })
})
