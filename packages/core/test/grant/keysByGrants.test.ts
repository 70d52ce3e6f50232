import type { ApiKey } from "@bursar/core/access/ApiKey"
import { apiKeyValues, keyObjection, maySign } from "@bursar/core/grant/keysByGrants"
import { mustAdopt } from "@bursar/core/grant/GrantState"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import { tenantByGrants } from "@bursar/core/grant/tenantByGrants"
import { GrantChainBroken } from "@bursar/core/grant/verifyChain"
import { defaultPolicy, type Tenant } from "@bursar/core/tenant/Tenant"
import { grantTenant } from "@bursar/testkit/fixtures/grants"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { signingKey, world } from "./chain.ts"

const tenant: Tenant = {
  id: grantTenant,
  slug: "acme",
  name: "Acme",
  kind: "LIVE",
  status: "ACTIVE",
  policy: { ...defaultPolicy, ipAllowlist: ["10.0.0.1"], signaturesRequired: ["xpubs"] },
  createdAt: 0
}

const key: ApiKey = {
  id: "AAAAAAAA",
  tenantId: grantTenant,
  label: "intake",
  prefix: "bsr_live_AAAAAAAA",
  hash: "ab".repeat(32),
  scopes: ["transfers:read", "deposits:read"],
  expiresAt: 1_900_000_000_000,
  seal: "cd".repeat(32),
  createdAt: 0,
  revokedAt: null
}

const values = apiKeyValues({ key, tenant })

/** A tenant whose policy and key are granted. */
const begin = Effect.gen(function* () {
  const all = yield* world()
  const two = [all.ann, all.bob]
  const codeOf = (one: ApiKey = key, of: Tenant = tenant) => keyObjection(all.chain(), { key: one, tenant: of })?.code
  return { ...all, two, codeOf, agree: Effect.suspend(() => all.grant("policy", policyValues(tenant), two)) }
})

describe("an API key", () => {
  it.effect("opens what was granted, and nothing where one value of its row or its tenant's kind is another", () =>
    Effect.gen(function* () {
      const { agree, codeOf, grant, two } = yield* begin
      yield* grant("api_key", values, two)
      yield* agree
      assert.isUndefined(codeOf())
      assert.isUndefined(codeOf({ ...key, scopes: key.scopes.toReversed() }))
      for (const change of [
        { scopes: [...key.scopes, "transfers:write"] },
        { scopes: [] },
        { expiresAt: null },
        { expiresAt: 1_900_000_000_001 },
        { hash: "ef".repeat(32) },
        { prefix: "bsr_live_BBBBBBBB" },
        { label: "another" }
      ])
        assert.strictEqual(codeOf({ ...key, ...change }), "altered", JSON.stringify(change))
      assert.strictEqual(codeOf(key, { ...tenant, kind: "SANDBOX" }), "altered")
    })
  )

  it.effect("that stands in a row alone opens nothing, nor one whose grant was revoked by one person", () =>
    Effect.gen(function* () {
      const { agree, ann, codeOf, grant, two } = yield* begin
      yield* grant("api_key", values, two)
      yield* agree
      assert.strictEqual(codeOf({ ...key, id: "BBBBBBBB" }), "ungranted")
      yield* grant("api_key", { ...values, state: "REVOKED" }, [ann])
      assert.strictEqual(codeOf(), "ungranted")
      const back = yield* Effect.flip(grant("api_key", values, two))
      assert.match(back.message, /revoked, which is for good/u)
    })
  )

  it.effect("takes the quorum, and a granted one cannot be changed", () =>
    Effect.gen(function* () {
      const { ann, grant, two } = yield* begin
      assert.strictEqual((yield* Effect.flip(grant("api_key", values, [ann]))).code, "quorum_missing")
      yield* grant("api_key", values, two)
      for (const change of [{ scopes: ["withdrawals:write"] }, { expires_at: null }, { hash: "ef".repeat(32) }])
        assert.strictEqual(
          (yield* Effect.flip(grant("api_key", { ...values, ...change }, two))).code,
          "values_invalid",
          JSON.stringify(change)
        )
    })
  )

  it.effect("is as its row says until the tenant's policy is granted", () =>
    Effect.gen(function* () {
      const { agree, codeOf, chain, grant, two } = yield* begin
      assert.isUndefined(keyObjection(undefined, { key, tenant }))
      assert.isUndefined(codeOf())
      // a policy of a version before it named the environment
      const { environment: _, ...early } = policyValues(tenant)
      yield* grant("policy", early, two)
      assert.isUndefined(codeOf())
      const signing = { tenantId: grantTenant, apiKeyId: "AAAAAAAA", createdAt: 0, revokedAt: null }
      const pair = { ...signing, keyid: signingKey.keyid, publicKey: signingKey.public_key }
      assert.isTrue(maySign(chain(), pair))
      yield* agree
      assert.strictEqual(codeOf(), "ungranted")
      assert.isFalse(maySign(chain(), pair))
      yield* grant("signing_key", signingKey, two)
      assert.isTrue(maySign(chain(), pair))
      for (const change of [{ apiKeyId: "BBBBBBBB" }, { publicKey: "x" }, { keyid: "x" }])
        assert.isFalse(maySign(chain(), { ...pair, ...change }), JSON.stringify(change))
    })
  )

  it.effect("cannot be verified while the chains do not hold, or nobody has confirmed them", () =>
    Effect.gen(function* () {
      const { agree, ann, bob, chain, codeOf, grant, root, two } = yield* begin
      yield* grant("api_key", values, two)
      yield* agree
      const broken = new GrantChainBroken({ tenantId: grantTenant, position: 1, code: "cut", reason: "it is gone" })
      assert.strictEqual(keyObjection(broken, { key, tenant })?.code, "unverified")
      const { relying_party: _, ...set } = root
      yield* grant("approvers", { ...set, approvers: set.approvers.slice(0, 2) }, [ann])
      assert.isTrue(mustAdopt(chain().fleet, chain().tenant))
      assert.strictEqual(codeOf(), "unverified")
      yield* grant("adoption", {}, [ann, bob])
      assert.isUndefined(codeOf())
    })
  )
})

describe("a tenant's row", () => {
  it.effect("counts where it is safer than the grants, and is told of where it is riskier", () =>
    Effect.gen(function* () {
      const { agree, ann, chain, grant } = yield* begin
      const judge = (row: Partial<Tenant>) => tenantByGrants(chain(), { ...tenant, ...row })
      const open = { ...tenant.policy, ipAllowlist: null, signaturesRequired: [] }
      assert.deepStrictEqual(judge({ policy: open }).tenant.policy, open)
      yield* agree
      assert.deepStrictEqual(judge({}), { tenant, objection: undefined })
      const safer = { ...tenant.policy, ipAllowlist: [], ceilingPerMinute: 5 }
      assert.deepStrictEqual(judge({ policy: safer }), { tenant: { ...tenant, policy: safer }, objection: undefined })
      const riskier = judge({ policy: { ...open, ceilingPerMinute: 5 } })
      assert.deepStrictEqual(riskier.tenant.policy, { ...tenant.policy, ceilingPerMinute: 5 })
      assert.match(String(riskier.objection), /allow more/u)
      const unreadable = judge({ policy: { ...tenant.policy, payoutLimitUsd: "1e9" } })
      assert.deepStrictEqual(unreadable.tenant.policy, tenant.policy)
      assert.match(String(unreadable.objection), /no grant can say/u)
      yield* grant("suspension", { suspended: true, reason: "" }, [ann])
      assert.strictEqual(judge({}).tenant.status, "SUSPENDED")
      assert.match(String(judge({}).objection), /suspended by a grant/u)
      assert.isUndefined(judge({ status: "SUSPENDED" }).objection)
    })
  )

  it.effect("stays in the environment that was granted once, whoever agrees to another", () =>
    Effect.gen(function* () {
      const { agree, grant, two } = yield* begin
      yield* agree
      const { environment: _, ...nowhere } = policyValues(tenant)
      for (const other of [{ ...policyValues(tenant), environment: "SANDBOX" as const }, nowhere]) {
        const refused = yield* Effect.flip(grant("policy", other, two))
        assert.match(refused.message, /the tenant is LIVE, which is for good/u)
      }
    })
  )
})
