import type { ApiKey } from "@bursar/core/access/ApiKey"
import type { IssuingAccount } from "@bursar/core/address/IssuingAccount"
import { type Destination, usableDestination } from "@bursar/core/destination/Destination"
import { type GrantDraft, neededFor } from "@bursar/core/grant/grantCommands"
import { grantText } from "@bursar/core/grant/GrantDocument"
import { planDigest, planGrants, reviewPlan } from "@bursar/core/grant/grantPlan"
import { importedNetworks, importedSettings, type TenantRows } from "@bursar/core/grant/importedGrants"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import type { SigningKey } from "@bursar/core/signature/SigningKey"
import { defaultPolicy, type Tenant } from "@bursar/core/tenant/Tenant"
import type { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import { approvedBy, documentOn, grantTenant, proposedAt } from "@bursar/testkit/fixtures/grants"
import { apiKeyFields } from "@bursar/testkit/fixtures/keys"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { destination as destinationValues, world } from "./chain.ts"

const now = proposedAt

const hourMs = 3_600_000

const tenant: Tenant = {
  id: grantTenant,
  slug: "acme",
  name: "Acme",
  kind: "LIVE",
  status: "ACTIVE",
  policy: { ...defaultPolicy, payoutLimitUsd: "500.50" },
  createdAt: 0
}

const apiKey = (more: Partial<ApiKey> = {}): ApiKey => ({
  ...apiKeyFields(),
  tenantId: grantTenant,
  createdAt: 0,
  revokedAt: null,
  ...more
})

const signing = (apiKeyId: string, more: Partial<SigningKey> = {}): SigningKey => ({
  tenantId: grantTenant,
  apiKeyId,
  keyid: "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U",
  publicKey: "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs",
  createdAt: 0,
  revokedAt: null,
  ...more
})

const destination = (id: string, more: Partial<Destination> = {}): Destination => ({
  id,
  currency: "USDC_ETH",
  network: "ethereum",
  address: `0x${id}`,
  memo: null,
  label: "Treasury",
  proposedBy: "maker",
  verifiedBy: "checker",
  verifiedAt: 1,
  usableFrom: 2,
  rejectedAt: null,
  rejectedReason: null,
  createdAt: 0,
  ...more
})

const wallet = (address: string): PayoutWallet => ({
  id: address,
  network: "ethereum",
  role: "PAYOUT",
  address,
  seedId: "s1",
  custodied: null,
  index: 0,
  nextSequence: 7n,
  nextSalt: 1,
  openTransactions: 0,
  committed: [],
  createdAt: 0
})

const account: IssuingAccount = {
  tenantId: grantTenant,
  family: "evm",
  seedId: "s1",
  accountKey: "xpub1",
  nextIndex: 9,
  createdAt: 0
}

const live = apiKey()

const rows = (more: Partial<TenantRows> = {}): TenantRows => ({
  tenant,
  apiKeys: [live],
  signingKeys: [signing(live.id)],
  destinations: [destination("d1")],
  wallets: [wallet("0xw1")],
  issuingAccounts: [account],
  doubtful: new Map(),
  ...more
})

const kindsOf = (found: ReturnType<typeof importedSettings>) => found.contents.map(({ kind }) => kind)

const draft: Omit<GrantDraft, "content"> = { note: "", by: "import", now, expiresAt: now + hourMs }

describe("the rows of before grants", () => {
  it.effect("become grants in an order in which no part of them lets more leave than the rest", () =>
    Effect.gen(function* () {
      const all = yield* world()
      const suspended = rows({ tenant: { ...tenant, status: "SUSPENDED" } })
      const found = importedSettings(all.chain().tenant, suspended, now)
      assert.deepStrictEqual(kindsOf(found), [
        "suspension",
        "destination",
        "api_key",
        "signing_key",
        "payout_wallet",
        "issuing_account",
        "policy"
      ])
      assert.deepStrictEqual(found.leftOut, [])
      const [, there, key] = found.contents
      // what receives goes on to receive, and no grant may say that it did so before
      assert.deepInclude(there?.values, { id: "d1", usable_from: "2026-11-23T09:00:00.000Z", state: "ACTIVE" })
      assert.deepInclude(key?.values, { id: live.id, environment: "LIVE", hash: live.hash, scopes: live.scopes })
      assert.deepInclude(found.contents.at(-1)?.values, { payout_limit_usd: "500.5", environment: "LIVE" })
      assert.deepStrictEqual(
        importedSettings(all.chain().tenant, rows({ tenant: { ...tenant, status: "CLOSED" } }), now).contents,
        []
      )
    })
  )

  it.effect("are left out where they cannot be granted, each with the reason", () =>
    Effect.gen(function* () {
      const all = yield* world()
      const [revoked, expired, altered] = [apiKey({ revokedAt: 1 }), apiKey({ expiresAt: now }), apiKey()]
      const found = importedSettings(
        all.chain().tenant,
        rows({
          apiKeys: [live, revoked, expired, altered],
          signingKeys: [
            signing(live.id, { revokedAt: 1 }),
            signing(revoked.id),
            signing(expired.id),
            signing("gone"),
            signing(live.id, { publicKey: "short" })
          ],
          destinations: [
            destination("old"),
            destination("d1", { verifiedAt: 3, usableFrom: 4 }),
            destination("cooling", { verifiedAt: 5, usableFrom: now + hourMs }),
            destination("proposed", { verifiedAt: null, verifiedBy: null, usableFrom: null }),
            destination("rejected", { rejectedAt: 1, verifiedAt: null, usableFrom: null }),
            destination("hidden", { currency: "ETH", label: "Trea\u202esury" })
          ],
          wallets: [wallet("0xw1"), wallet("0xthief")],
          doubtful: new Map([
            ["0xthief", "strange"],
            ["xpub1", "stranger"],
            [altered.id, "altered"]
          ])
        }),
        now
      )
      const kept = found.contents.map(({ kind, values }) => [kind, "id" in values ? values.id : ""])
      assert.deepStrictEqual(kept, [
        ["destination", "d1"],
        ["destination", "cooling"],
        ["api_key", live.id],
        ["payout_wallet", ""],
        ["policy", ""]
      ])
      const [, cooling] = found.contents
      assert.deepInclude(cooling?.values, { usable_from: "2026-11-23T10:00:00.000Z" })
      const reasons = found.leftOut.map(({ what, reason }) => `${what.split("|")[0]}: ${reason.split("\n")[0]}`)
      const keyReason = "its API key is revoked, has expired or is gone"
      for (const reason of [
        "destination proposed: nobody has verified it",
        `signing_key ${revoked.id}: ${keyReason}`,
        `signing_key ${expired.id}: ${keyReason}`,
        `signing_key gone: ${keyReason}`,
        `api_key ${altered.id}: altered`,
        "payout_wallet ethereum: strange",
        "issuing_account evm: stranger"
      ])
        assert.include(reasons, reason)
      assert.strictEqual(found.leftOut.length, 9, "and a hidden letter, and a key that is none")
    })
  )

  it.effect("order destinations that were verified in one moment as the rows do", () =>
    Effect.gen(function* () {
      const all = yield* world()
      const one = (id: string) => destination(id, { verifiedAt: 5, usableFrom: now + hourMs })
      const destinations = [one("d2"), one("d1")]
      const { contents } = importedSettings(all.chain().tenant, rows({ destinations }), now)
      const order = contents.flatMap(({ kind, values }) =>
        kind === "destination" && "id" in values ? [values.id] : []
      )
      assert.deepStrictEqual(order, ["d1", "d2"])
      assert.strictEqual(usableDestination(destinations, "USDC_ETH", now + hourMs)?.id, order.at(-1))
    })
  )

  it.effect("are not imported again, and never take the place of a grant", () =>
    Effect.gen(function* () {
      const all = yield* world()
      const two = [all.ann, all.bob]
      const plan = yield* planGrants(all.chain(), importedSettings(all.chain().tenant, rows(), now).contents, draft)
      for (const { document } of plan.grants) yield* all.append(yield* approvedBy(document, two), "tenant")
      assert.deepStrictEqual(importedSettings(all.chain().tenant, rows(), now + hourMs), { contents: [], leftOut: [] })

      // a limit that somebody raised in the database, another key under a granted name, and a wallet that was revoked
      const { chain } = all
      yield* all.grant("payout_wallet", { network: "ethereum", role: "PAYOUT", address: "0xw1", state: "REVOKED" }, [
        all.cleo
      ])
      const forged = rows({
        tenant: { ...tenant, policy: { ...tenant.policy, payoutLimitUsd: null } },
        signingKeys: [signing(live.id, { publicKey: "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U" })]
      })
      const found = importedSettings(chain().tenant, forged, now + hourMs)
      assert.deepStrictEqual(found.contents, [])
      assert.deepStrictEqual(
        found.leftOut.map(({ reason, what }) => [what.split(/[ |]/u)[0], reason]),
        ["signing_key", "payout_wallet", "policy"].map((kind) => [kind, "a grant says otherwise, and holds"])
      )
      // one that came later waits as long as any that is new
      const late = rows({ destinations: [destination("d1"), destination("d2", { currency: "ETH" })] })
      const [waits] = importedSettings(chain().tenant, late, now).contents
      assert.deepInclude(waits?.values, { id: "d2", usable_from: "2026-11-24T09:00:00.000Z" })
    })
  )

  it.effect("say the environment of a tenant whose policy was granted before that was part of it", () =>
    Effect.gen(function* () {
      const all = yield* world()
      const { environment: _, ...early } = policyValues(tenant)
      yield* all.grant("policy", early, [all.ann, all.bob])
      const own = rows({ apiKeys: [], signingKeys: [], destinations: [], wallets: [], issuingAccounts: [] })
      assert.deepStrictEqual(importedSettings(all.chain().tenant, own, now), {
        contents: [{ kind: "policy", values: policyValues(tenant) }],
        leftOut: []
      })
    })
  )

  it.effect("of networks are what operators have stopped", () =>
    Effect.gen(function* () {
      const all = yield* world()
      const one = { changedBy: "olga", changedAt: 0 }
      const switches = [
        { network: "base", payoutsOff: true, reason: "A reorg.", ...one },
        { network: "bsc", payoutsOff: false, reason: null, ...one }
      ]
      const { contents } = importedNetworks(all.chain().fleet, switches)
      assert.deepStrictEqual(contents, [
        { kind: "network", values: { network: "base", stopped: true, reason: "A reorg." } }
      ])
      yield* all.grant("network", { network: "base", stopped: true, reason: "Said otherwise." }, [all.ann])
      assert.deepStrictEqual(importedNetworks(all.chain().fleet, switches).contents, [])
    })
  )
})

describe("a plan", () => {
  const settle = Effect.fnUntraced(function* () {
    const all = yield* world()
    const { grants } = yield* planGrants(all.chain(), importedSettings(all.chain().tenant, rows(), now).contents, draft)
    const texts = grants.map(({ document }) => grantText(document))
    return { ...all, grants, texts, two: [all.ann, all.bob] }
  })

  it.effect("is reviewed to what it was made of, and goes on where it was left", () =>
    Effect.gen(function* () {
      const { append, chain, grants, texts, two } = yield* settle()
      assert.deepStrictEqual((yield* reviewPlan(chain(), texts)).grants, grants)
      for (const [at, text] of texts.entries()) {
        yield* append(yield* approvedBy(text, two), "tenant")
        assert.deepStrictEqual((yield* reviewPlan(chain(), texts)).grants, grants.slice(at + 1))
      }
    })
  )

  it.effect("fits no chain that went on without it, and no other order, set or tenant", () =>
    Effect.gen(function* () {
      const all = yield* settle()
      const { chain, texts } = all
      const refused = (some: ReadonlyArray<string>) =>
        Effect.map(Effect.flip(reviewPlan(chain(), some)), ({ code }) => code)
      assert.strictEqual(yield* refused(texts.slice(1)), "wrong_number")
      assert.strictEqual(yield* refused(texts.toReversed()), "wrong_number")
      assert.strictEqual(yield* refused(texts.toSpliced(1, 1)), "wrong_number")
      assert.strictEqual(
        yield* refused(texts.map((text) => text.replaceAll(grantTenant, "019845e1-682f-4b02-a706-3b2422d13aed"))),
        "wrong_chain"
      )
      assert.strictEqual(yield* refused(texts.with(0, texts[0]?.replace("{", "{ ") ?? "")), "not_canonical")
      yield* all.append(yield* approvedBy(texts[0] ?? "", all.two), "tenant")
      yield* all.grant("suspension", { suspended: true, reason: "" }, [all.cleo])
      assert.strictEqual(yield* refused(texts), "wrong_number")
    })
  )

  it.effect("holds nothing that no row becomes: whoever signs it would approve an adoption, or approvers, unseen", () =>
    Effect.gen(function* () {
      const all = yield* settle()
      const { approvers, quorum, quorums } = all.root
      yield* all.grant("destination", destinationValues("thief", "USDC_ETH"), [all.bob, all.cleo])
      const without = { approvers: approvers.filter(({ id }) => id !== "cleo"), quorum, quorums }
      yield* all.grant("approvers", without, [all.bob])
      const limit = { currency: "USDC_ETH", per_payment: "1", per_hour: null, per_day: null }
      const { fleet } = all.chain()
      for (const [chain, document] of [
        [all.chain(), documentOn(all.chain(), "adoption", {})],
        [all.chain(), documentOn(all.chain(), "currency_limit", limit)],
        [{ fleet }, documentOn({ fleet }, "approvers", { ...without, quorum: "1" })]
      ] as const) {
        assert.isTrue(Result.isSuccess(neededFor(chain, document))) // people could approve it
        const { code, message } = yield* Effect.flip(reviewPlan(chain, [grantText(document)]))
        assert.strictEqual(code, "wrong_kind", message)
      }
    })
  )

  it.effect("has a digest that covers every document in its order", () =>
    Effect.gen(function* () {
      const { grants } = yield* settle()
      const hashes = grants.map(({ hash }) => hash)
      const digests = yield* Effect.forEach(
        [hashes, hashes.toReversed(), hashes.slice(1), hashes.with(0, "0".repeat(64))],
        planDigest
      )
      assert.strictEqual(new Set(digests).size, 4)
      assert.strictEqual(yield* planDigest(hashes), digests[0])
      assert.deepInclude(
        grants.at(-1)?.changes.find(({ path }) => path === "payout_limit_usd"),
        { from: null, to: "500.5" }
      )
      assert.deepStrictEqual(policyValues(tenant).payout_limit_usd, "500.5")
    })
  )
})
