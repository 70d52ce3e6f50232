import type { Event } from "@bursar/core/event/Event"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import { accountByGrants, isGrantedWallet, issuingObjection } from "@bursar/core/granting/issuingByGrants"
import { loweredGrants, saidLowering } from "@bursar/core/granting/lowered"
import { namedIn } from "@bursar/core/granting/namedIn"
import { registrationRule } from "@bursar/core/granting/registeredByGrants"
import { GrantChainBroken } from "@bursar/core/grant/verifyChain"
import type { GrantValues } from "@bursar/core/grant/GrantDocument"
import { defaultPolicy, type Tenant } from "@bursar/core/tenant/Tenant"
import { grantTenant, proposedAt } from "@bursar/testkit/fixtures/grants"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { apiKey, destination, signingKey, world } from "../grant/chain.ts"

const tenant: Tenant = {
  id: grantTenant,
  slug: "acme",
  name: "Acme",
  kind: "LIVE",
  status: "ACTIVE",
  policy: { ...defaultPolicy, withdrawalLimitUsd: "1000" },
  createdAt: 0
}

const broken = new GrantChainBroken({ tenantId: null, position: 2, code: "wrong_number", reason: "one is missing" })

const account: GrantValues<"issuing_account"> = {
  family: "evm",
  seed_id: "seed-1",
  account_key: "xpub-1",
  state: "ACTIVE"
}

/** A tenant of which everything is granted. */
const begin = Effect.fnUntraced(function* (policy: Partial<Tenant["policy"]> = {}) {
  const all = yield* world()
  const two = [all.ann, all.bob]
  const of = { ...tenant, policy: { ...tenant.policy, ...policy } }
  yield* all.grant("policy", policyValues(of), two)
  return { ...all, two, of }
})

describe("what an operator has lowered without a grant", () => {
  it.effect("is said by the chain once, where it has granted it before", () =>
    Effect.gen(function* () {
      const { chain, grant, two } = yield* begin()
      yield* grant("signing_key", signingKey, two)
      yield* grant("destination", destination("d1", "USDC_ETH"), two)
      const inTenant = (lowered: Parameters<typeof loweredGrants>[1]) => loweredGrants(chain().tenant, lowered)
      const said = [
        inTenant({ _tag: "Suspended", reason: "asked for" }),
        inTenant({ _tag: "KeysRevoked", keys: [{ apiKeyId: signingKey.api_key_id, keyid: signingKey.keyid }] }),
        inTenant({ _tag: "DestinationRejected", id: "d1" }),
        loweredGrants(chain().fleet, { _tag: "Stopped", network: "base", reason: "a reorg" })
      ]
      assert.deepStrictEqual(said, [
        [{ kind: "suspension", values: { suspended: true, reason: "asked for" } }],
        [{ kind: "signing_key", values: { ...signingKey, state: "REVOKED" } }],
        [{ kind: "destination", values: { ...destination("d1", "USDC_ETH"), state: "REVOKED" } }],
        [{ kind: "network", values: { network: "base", stopped: true, reason: "a reorg" } }]
      ])
      for (const one of said.flat()) yield* grant(one.kind, one.values as never, two) // kind and values belong together
      for (const again of [
        inTenant({ _tag: "Suspended", reason: "again" }),
        inTenant({ _tag: "KeysRevoked", keys: [{ apiKeyId: signingKey.api_key_id, keyid: signingKey.keyid }] }),
        inTenant({ _tag: "DestinationRejected", id: "d1" }),
        loweredGrants(chain().fleet, { _tag: "Stopped", network: "base", reason: "again" })
      ])
        assert.deepStrictEqual(again, [])
    })
  )

  it.effect("of an API key is said by the chain once, where it has granted it before", () =>
    Effect.gen(function* () {
      const { chain, grant, two } = yield* begin()
      yield* grant("api_key", apiKey, two)
      const said = loweredGrants(chain().tenant, { _tag: "ApiKeyRevoked", id: "AAAAAAAA" })
      assert.deepStrictEqual(said, [{ kind: "api_key", values: { ...apiKey, state: "REVOKED" } }])
      assert.deepStrictEqual(loweredGrants(chain().tenant, { _tag: "ApiKeyRevoked", id: "BBBBBBBB" }), [])
      for (const one of said) yield* grant(one.kind, one.values as never, two) // kind and values belong together
      assert.deepStrictEqual(loweredGrants(chain().tenant, { _tag: "ApiKeyRevoked", id: "AAAAAAAA" }), [])
    })
  )

  it.effect("is nothing of what was never granted", () =>
    Effect.gen(function* () {
      const { chain } = yield* world()
      for (const lowered of [
        { _tag: "KeysRevoked", keys: [{ apiKeyId: "AAAAAAAA", keyid: "k" }] },
        { _tag: "ApiKeyRevoked", id: "AAAAAAAA" },
        { _tag: "DestinationRejected", id: "d1" },
        { _tag: "PolicyLowered", tenant }
      ] as const)
        assert.deepStrictEqual(loweredGrants(chain().tenant, lowered), [], lowered._tag)
    })
  )

  it.effect("of a policy is what is safer by now, and nothing that allows more", () =>
    Effect.gen(function* () {
      const { chain } = yield* begin()
      const lowered = (policy: Partial<Tenant["policy"]>) =>
        loweredGrants(chain().tenant, {
          _tag: "PolicyLowered",
          tenant: { ...tenant, policy: { ...tenant.policy, ...policy } }
        })
      assert.deepStrictEqual(lowered({}), [])
      const values = policyValues(tenant)
      assert.deepStrictEqual(lowered({ withdrawalLimitUsd: "500" }), [
        { kind: "policy", values: { ...values, withdrawal_limit_usd: "500" } }
      ])
      assert.deepStrictEqual(lowered({ withdrawalLimitUsd: "5000" }), [])
      assert.deepStrictEqual(lowered({ withdrawalLimitUsd: "5000", withdrawalsEnabled: false }), [
        { kind: "policy", values: { ...values, withdrawals_enabled: false } }
      ])
    })
  )

  it.effect("of a policy is said, too, where its row has a setting of another form", () =>
    Effect.gen(function* () {
      const { chain } = yield* begin()
      const odd = { payoutMinimums: null, payoutLimitUsd: 5, ipAllowlist: 7 } as unknown as Tenant["policy"] // as somebody has written into the row
      const policy = { ...tenant.policy, ...odd, payoutsEnabled: false }
      assert.deepStrictEqual(loweredGrants(chain().tenant, { _tag: "PolicyLowered", tenant: { ...tenant, policy } }), [
        { kind: "policy", values: { ...policyValues(tenant), payouts_enabled: false } }
      ])
    })
  )
})

describe("a document", () => {
  it.effect("said a lowering where it said the same of what that changes, whatever else it said", () =>
    Effect.gen(function* () {
      const { chain } = yield* begin()
      const values = policyValues(tenant)
      const said = (lowered: Partial<typeof values>, other: Partial<typeof values>) =>
        saidLowering(
          chain().tenant,
          { kind: "policy", values: { ...values, ...lowered } },
          { kind: "policy", values: { ...values, ...other } }
        )
      const lowered = { withdrawal_limit_usd: "500", payouts_off_on: ["base", "tron"] }
      assert.isTrue(said(lowered, { ...lowered, payouts_off_on: ["tron", "base"], slippage_bps: "0" }))
      assert.isFalse(said(lowered, { withdrawal_limit_usd: "500" }))
      assert.isFalse(said(lowered, { ...lowered, withdrawal_limit_usd: "400" }))
      const stop = (network: string, stopped: boolean) =>
        ({ kind: "network", values: { network, stopped, reason: "" } }) as const
      const stopped = (other: ReturnType<typeof stop>) => saidLowering(chain().fleet, stop("base", true), other)
      assert.isTrue(stopped(stop("base", true)))
      assert.isFalse(stopped(stop("base", false)))
      assert.isFalse(stopped(stop("tron", true)))
    })
  )
})

describe("the account that addresses are issued from", () => {
  const stored = { seedId: "seed-1", accountKey: "xpub-1" }
  const judged = { family: "evm", seedId: "seed-1", stored } as const
  const keyBy = (...given: Parameters<typeof accountByGrants>) => Result.getOrUndefined(accountByGrants(...given))
  const objectionTo = (...given: Parameters<typeof issuingObjection>) => issuingObjection(...given)?._tag

  it("is that of its row where rows decide, and of its own seed", () => {
    assert.strictEqual(keyBy(undefined, judged), "xpub-1")
    assert.isUndefined(keyBy(undefined, { ...judged, seedId: "seed-2" }))
    assert.isUndefined(keyBy(undefined, { ...judged, stored: undefined }))
    assert.isUndefined(objectionTo(undefined, "evm", stored))
    assert.isUndefined(keyBy(broken, judged))
    assert.strictEqual(objectionTo(broken, "evm", stored), "Forged")
  })

  it.effect("is the one that was granted, whatever its row says; only the newest issues", () =>
    Effect.gen(function* () {
      const { chain, grant, two } = yield* begin()
      const forged = { ...judged, stored: { ...stored, accountKey: "xpub-9" } }
      assert.isUndefined(keyBy(chain(), judged))
      assert.strictEqual(objectionTo(chain(), "evm", stored), "NotGranted")
      yield* grant("issuing_account", account, two)
      assert.strictEqual(keyBy(chain(), forged), "xpub-1")
      assert.isUndefined(keyBy(chain(), { ...judged, family: "tron" }))
      assert.isUndefined(objectionTo(chain(), "evm", stored))
      assert.strictEqual(objectionTo(chain(), "tron", stored), "NotGranted")
      for (const other of [
        { ...stored, accountKey: "xpub-9" },
        { ...stored, seedId: "seed-9" }
      ])
        assert.strictEqual(objectionTo(chain(), "evm", other), "Forged")
      yield* grant("issuing_account", { ...account, seed_id: "seed-2", account_key: "xpub-2" }, two)
      assert.strictEqual(objectionTo(chain(), "evm", stored), "Forged")
      assert.strictEqual(keyBy(chain(), judged), "xpub-1", "what it has issued stays")
      yield* grant("issuing_account", { ...account, state: "REVOKED" }, two)
      assert.isUndefined(keyBy(chain(), judged))
    })
  )

  it.effect("counts for nothing where the approvers have changed since and nobody has adopted the chain", () =>
    Effect.gen(function* () {
      const { ann, bob, chain, cleo, grant, two } = yield* begin()
      yield* grant("issuing_account", account, two)
      yield* grant("payout_wallet", { network: "base", role: "PAYOUT", address: "0xa", state: "ACTIVE" }, two)
      const approvers = [ann, cleo].map(({ approver }) => approver)
      yield* grant("approvers", { approvers, quorum: "2", quorums: {} }, [ann, bob])
      assert.isUndefined(keyBy(chain(), judged))
      assert.strictEqual(objectionTo(chain(), "evm", stored), "NotGranted")
      assert.isFalse(isGrantedWallet(chain(), { network: "base", address: "0xa" }))
      assert.strictEqual(registrationRule(chain(), "addresses")._tag, "Unusable")
    })
  )
})

describe("a wallet that a partner may fund", () => {
  it.effect("is one that pays and was granted, or any where rows decide", () =>
    Effect.gen(function* () {
      const { chain, grant, two } = yield* begin()
      const wallet = { network: "base", role: "PAYOUT", address: "0xa", state: "ACTIVE" } as const
      const shown = (address: string, ruling: Parameters<typeof isGrantedWallet>[0] = chain()) =>
        isGrantedWallet(ruling, { network: "base", address })
      assert.isTrue(isGrantedWallet(undefined, { network: "base", address: "0xa" }))
      assert.isFalse(shown("0xa"))
      yield* grant("payout_wallet", wallet, two)
      yield* grant("payout_wallet", { ...wallet, role: "CHANNEL", address: "0xc" }, two)
      assert.deepStrictEqual([shown("0xa"), shown("0xc"), shown("0xb")], [true, false, false])
      assert.isFalse(isGrantedWallet(chain(), { network: "ethereum", address: "0xa" }))
      assert.isFalse(shown("0xa", broken))
      yield* grant("payout_wallet", { ...wallet, state: "REVOKED" }, two)
      assert.isFalse(shown("0xa"))
    })
  )
})

describe("what a tenant has registered", () => {
  it.effect("is what rows say, or what granted keys have signed where the granted policy demands that", () =>
    Effect.gen(function* () {
      const { chain, grant, two } = yield* begin({ signaturesRequired: ["addresses"] })
      assert.strictEqual(registrationRule(undefined, "addresses")._tag, "Rows")
      assert.deepStrictEqual(registrationRule(broken, "addresses"), { _tag: "Unusable", reason: broken.message })
      assert.strictEqual(registrationRule(chain(), "xpubs")._tag, "Rows")
      assert.deepStrictEqual(registrationRule(chain(), "addresses"), { _tag: "Signed", signingKeys: [] })
      yield* grant("signing_key", signingKey, two)
      const known = {
        tenantId: grantTenant,
        apiKeyId: signingKey.api_key_id,
        keyid: signingKey.keyid,
        publicKey: signingKey.public_key,
        createdAt: 0,
        revokedAt: null
      }
      assert.deepStrictEqual(registrationRule(chain(), "addresses"), { _tag: "Signed", signingKeys: [known] })
      yield* grant("signing_key", { ...signingKey, state: "REVOKED" }, two)
      assert.deepStrictEqual(registrationRule(chain(), "addresses"), {
        _tag: "Signed",
        signingKeys: [{ ...known, revokedAt: proposedAt }]
      })
      assert.strictEqual(registrationRule((yield* world()).chain(), "addresses")._tag, "Rows")
    })
  )
})

describe("the address that an event names", () => {
  it("is there where it names one on a network", () => {
    const event = (data: Event["data"]): Event => ({
      id: 1,
      kind: "deposit.detected",
      resourceId: "d",
      occurredAt: 0,
      data
    })
    assert.deepStrictEqual(namedIn(event({ address: "0xa", network: "base", units: "1" })), [
      { address: "0xa", network: "base" }
    ])
    for (const data of [
      {},
      { address: "0xa" },
      { network: "base" },
      { address: 1, network: "base" },
      { address: "0xa", network: null }
    ])
      assert.deepStrictEqual(namedIn(event(data)), [])
  })
})
