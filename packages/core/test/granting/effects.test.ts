import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { ApiKey } from "@bursar/core/access/ApiKey"
import { addApiKey, setTenantPolicy, setTenantStatus } from "@bursar/core/access/tenantCommands"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { requestAdjustment } from "@bursar/core/adjustment/requestAdjustment"
import { toIso } from "@bursar/core/base/Timestamp"
import { Destination } from "@bursar/core/destination/Destination"
import type { Command } from "@bursar/core/engine/Command"
import { Writer } from "@bursar/core/engine/Writer"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import type { GrantDocument, GrantKind, GrantValues } from "@bursar/core/grant/GrantDocument"
import type { JudgedGrant } from "@bursar/core/grant/policyOver"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import { reviewValues } from "@bursar/core/grant/reviewByGrants"
import { grantEffect, grantName } from "@bursar/core/granting/grantEffect"
import { activateNewTenant, grantRequired, lowerTenantPolicy } from "@bursar/core/granting/grantRequired"
import { defaultCurrencies as currencies } from "@bursar/core/money/defaultCurrencies"
import { of } from "@bursar/core/money/Amount"
import { NetworkSwitch } from "@bursar/core/port/NetworkSwitches"
import { attachEvidence, recordEvidence } from "@bursar/core/payout/attachEvidence"
import { holdSignedBefore } from "@bursar/core/payout/holdSignedBefore"
import { ofKind } from "@bursar/core/operation/Operation"
import { Queries } from "@bursar/core/store/Queries"
import { Tenants } from "@bursar/core/port/Tenants"
import { SigningKey, allSigningKeys } from "@bursar/core/signature/SigningKey"
import { defaultPolicy, type TenantId, type TenantPolicy } from "@bursar/core/tenant/Tenant"
import { keyed, newEvmAddress } from "@bursar/testkit/fixtures/deposits"
import { proposedAt } from "@bursar/testkit/fixtures/grants"
import { apiKeyFields } from "@bursar/testkit/fixtures/keys"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { issuing } from "../address/world.ts"
import { apiKey, destination, signingKey } from "../grant/chain.ts"
import { accepted, payer, stateOf } from "../payout/world.ts"
import { balanceOf, refusalOf, store } from "../transfer/world.ts"

const submit = <A>(id: TenantId, command: Command<A>) => Effect.flatMap(Writer, (writer) => writer.submit(id, command))

const documentOf = <K extends GrantKind>(kind: K, values: GrantValues<K>) =>
  ({ kind, values, number: "7", proposed_by: "olga", proposed_at: toIso(proposedAt) }) as unknown as GrantDocument // all of it that is carried out

const means = { currencies, sealKey: () => "sealed" }

const raising: JudgedGrant = { direction: "raises", before: undefined }

const effectOf = <K extends GrantKind>(kind: K, values: GrantValues<K>, judged = raising) =>
  grantEffect(documentOf(kind, values), judged, means)

/** Carries out a grant; gives the code of the refusal, or null. */
const carry = Effect.fnUntraced(function* <K extends GrantKind>(
  id: TenantId,
  kind: K,
  values: GrantValues<K>,
  judged = raising
) {
  const effect = effectOf(kind, values, judged)
  return effect === undefined ? "nothing" : yield* refusalOf(id, effect)
})

const tenantOf = Effect.fnUntraced(function* (id: TenantId) {
  return (yield* (yield* Tenants).byId(id)) ?? assert.fail("there is no such tenant")
})

const live = Effect.map(newTenant(), ({ id }) => id)

describe("a grant that is carried out", () => {
  it("is named by its number where records name who decided", () => {
    assert.strictEqual(grantName({ number: "7" }), "grant:7")
  })

  it("changes no record where its chain alone says it", () => {
    const wallet = { network: "base", role: "PAYOUT", address: "0xa", state: "REVOKED" } as const
    const account = { family: "evm", seed_id: "s", account_key: "x", state: "REVOKED" } as const
    assert.isUndefined(effectOf("payout_wallet", wallet))
    assert.isUndefined(effectOf("issuing_account", account))
    assert.isUndefined(effectOf("approvers", { approvers: [], quorum: "1", quorums: {} }))
    assert.isUndefined(effectOf("currency_limit", { currency: "EUR", payment_max: null, day_max: null } as never))
  })

  it.effect("makes a destination usable from its moment on, and rejects one that it revokes", () =>
    Effect.gen(function* () {
      const id = yield* live
      const values = destination(crypto.randomUUID(), "USDC_ETH")
      assert.isNull(yield* carry(id, "destination", values))
      const read = Effect.flatMap(Queries, (queries) => queries.record(id, Destination, values.id))
      assert.deepInclude(yield* read, {
        address: values.address,
        network: "ethereum",
        usableFrom: Date.parse(values.usable_from),
        proposedBy: "olga",
        verifiedBy: "grant:7",
        rejectedAt: null
      })
      assert.isNull(yield* carry(id, "destination", { ...values, state: "REVOKED" }))
      assert.deepInclude(yield* read, { rejectedReason: "Revoked by grant:7." })
      assert.isNotNull((yield* read)?.rejectedAt ?? null)
      // what it revokes counts by its chain, whatever became of the record
      assert.isNull(yield* carry(id, "destination", { ...values, id: crypto.randomUUID(), state: "REVOKED" }))
    }).pipe(Effect.provide(store))
  )

  it.effect("writes the row of an API key for the tenant's environment, and revokes it", () =>
    Effect.gen(function* () {
      const id = yield* live
      const values = apiKey
      const read = Effect.flatMap(Queries, (queries) => queries.record(id, ApiKey, "AAAAAAAA"))
      assert.strictEqual(yield* carry(id, "api_key", { ...values, environment: "SANDBOX" }), "state_conflict")
      assert.isNull(yield* carry(id, "api_key", values))
      const key = yield* read
      assert.deepInclude(key, { hash: "ab".repeat(32), seal: "sealed", revokedAt: null })
      assert.isNull(yield* carry(id, "api_key", values), "again it changes nothing")
      assert.deepStrictEqual(yield* read, key)
      assert.isNull(yield* carry(id, "api_key", { ...values, state: "REVOKED" }))
      assert.isNotNull((yield* read)?.revokedAt ?? null)
      assert.isNull(yield* carry(id, "api_key", { ...values, id: "BBBBBBBB", state: "REVOKED" }))
    }).pipe(Effect.provide(store))
  )

  it.effect("binds a signing key, and revokes it for its API key", () =>
    Effect.gen(function* () {
      const id = yield* live
      const key = apiKeyFields()
      const values = { ...signingKey, api_key_id: key.id }
      assert.strictEqual(yield* carry(id, "signing_key", values), "not_found", "there is no such API key")
      yield* submit(id, addApiKey(key))
      const keys = Effect.flatMap(Queries, (queries) => queries.records(id, SigningKey, allSigningKeys))
      assert.isNull(yield* carry(id, "signing_key", values))
      const [bound] = yield* keys
      assert.deepInclude(bound, {
        apiKeyId: key.id,
        keyid: signingKey.keyid,
        publicKey: signingKey.public_key,
        revokedAt: null
      })
      assert.isNull(yield* carry(id, "signing_key", { ...values, state: "REVOKED" }))
      assert.isNotNull((yield* keys)[0]?.revokedAt ?? null)
      assert.isNull(yield* carry(id, "signing_key", { ...values, keyid: "nobody's", state: "REVOKED" }))
    }).pipe(Effect.provide(store))
  )

  it.effect("sets the policy that it says, and undoes nothing that was lowered further where it lowers", () =>
    Effect.gen(function* () {
      const id = yield* live
      const values = (policy: Partial<TenantPolicy>) =>
        policyValues({ kind: "LIVE", policy: { ...defaultPolicy, ...policy } })
      const limit = Effect.map(tenantOf(id), ({ policy }) => policy.withdrawalLimitUsd)
      assert.isNull(yield* carry(id, "policy", values({ withdrawalLimitUsd: "900" })))
      assert.strictEqual(yield* limit, "900")
      yield* submit(id, setTenantPolicy({ withdrawalLimitUsd: "100" }))
      const lowering: JudgedGrant = { direction: "lowers", before: values({ withdrawalLimitUsd: "900" }) }
      yield* carry(id, "policy", values({ withdrawalLimitUsd: "500" }), lowering)
      assert.strictEqual(yield* limit, "100")
      yield* carry(id, "policy", values({ withdrawalLimitUsd: "500" }))
      assert.strictEqual(yield* limit, "500")
      const sandbox = policyValues({ kind: "SANDBOX", policy: defaultPolicy })
      assert.strictEqual(yield* carry(id, "policy", sandbox), "state_conflict")
    }).pipe(Effect.provide(store))
  )

  it.effect(
    "puts back nothing that operators have lowered, where it raises something else, and all where it repeats",
    () =>
      Effect.gen(function* () {
        const id = yield* live
        const agreed = {
          ...defaultPolicy,
          payoutsEnabled: true,
          payoutDailyLimitUsd: "90000",
          withdrawalLimitUsd: "900"
        }
        const values = (policy: Partial<TenantPolicy>) =>
          policyValues({ kind: "LIVE", policy: { ...agreed, ...policy } })
        assert.isNull(yield* carry(id, "policy", values({})))
        // an operator stops payouts while a higher limit of withdrawals is proposed
        yield* submit(id, setTenantPolicy({ payoutsEnabled: false, payoutDailyLimitUsd: "100" }))
        const raised = values({ withdrawalLimitUsd: "5000" })
        yield* carry(id, "policy", raised, { direction: "raises", before: values({}) })
        assert.deepInclude((yield* tenantOf(id)).policy, {
          withdrawalLimitUsd: "5000",
          payoutsEnabled: false,
          payoutDailyLimitUsd: "100"
        })
        yield* carry(id, "policy", raised, { direction: "changes_nothing", before: raised })
        assert.deepStrictEqual(policyValues(yield* tenantOf(id)), raised)
      }).pipe(Effect.provide(store))
  )

  it.effect("suspends a tenant, and ends a suspension and nothing else", () =>
    Effect.gen(function* () {
      const id = yield* live
      const status = Effect.map(tenantOf(id), (tenant) => tenant.status)
      for (const [suspended, expected] of [
        [true, "SUSPENDED"],
        [true, "SUSPENDED"],
        [false, "ACTIVE"],
        [false, "ACTIVE"]
      ] as const) {
        assert.isNull(yield* carry(id, "suspension", { suspended, reason: "asked for" }))
        assert.strictEqual(yield* status, expected)
      }
      const { id: other } = yield* newTenant({ status: "ONBOARDING" })
      yield* carry(other, "suspension", { suspended: false, reason: "" })
      assert.strictEqual((yield* tenantOf(other)).status, "ONBOARDING")
    }).pipe(Effect.provide(store))
  )

  it.effect("stops a network for all, and lets it go on", () =>
    Effect.gen(function* () {
      for (const stopped of [true, false]) {
        assert.isNull(yield* carry(fleetTenantId, "network", { network: "base", stopped, reason: "a reorg" }))
        const one = yield* (yield* Queries).record(fleetTenantId, NetworkSwitch, "base")
        assert.deepInclude(one, { payoutsOff: stopped, reason: stopped ? "a reorg" : null, changedBy: "grant:7" })
      }
    }).pipe(Effect.provide(store))
  )

  it.effect("lets a wallet be used that is there, and an account that issues or is to", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const values = { network: "ethereum", role: "PAYOUT", address: wallet.address, state: "ACTIVE" } as const
      assert.isNull(yield* carry(id, "payout_wallet", values))
      for (const more of [{ role: "CHANNEL" }, { address: "0xother" }, { network: "base" }] as const)
        assert.strictEqual(yield* carry(id, "payout_wallet", { ...values, ...more }), "state_conflict")
      const account = { family: "evm", seed_id: "s", account_key: "x", state: "ACTIVE" } as const
      assert.isNull(yield* carry(id, "issuing_account", account))
      yield* submit(id, issuing({ seedId: "s", accountKey: "x", addresses: [keyed(newEvmAddress())] }))
      assert.isNull(yield* carry(id, "issuing_account", account))
      for (const more of [{ seed_id: "t" }, { account_key: "y" }, { seed_id: "t", account_key: "y" }])
        assert.strictEqual(yield* carry(id, "issuing_account", { ...account, ...more }), "state_conflict")
      assert.isNull(yield* carry(id, "issuing_account", { ...account, family: "tron" }))
    }).pipe(Effect.provide(store))
  )

  it.effect("assigns an arrival that nothing else assigns, but the proposal that it was", () =>
    Effect.gen(function* () {
      const id = yield* live
      yield* submit(id, adjustFloat({ amount: of(500n, "USDC_BASE"), against: "custodian", reason: "found" }))
      const left = adjustFloat({ amount: of(-200n, "USDC_BASE"), against: "suspense", reason: "nobody's" })
      const [arrival, other] = [yield* submit(id, left), yield* submit(id, left)]
      const values = { id: crypto.randomUUID(), currency: "USDC_BASE", units: "200", against: "suspense", reason: "r" }
      const assigning = { ...values, assigns: arrival.id }
      assert.isNull(yield* carry(id, "adjustment", assigning))
      assert.strictEqual(yield* carry(id, "adjustment", { ...assigning, id: "a2" }), "state_conflict")
      const proposed = yield* submit(
        id,
        requestAdjustment({
          ...{ amount: of(200n, "USDC_BASE"), against: "suspense", assigns: other.id, reason: "r", by: "anna" },
          ...{ usd: null, currencies }
        })
      )
      if (proposed.state !== "proposed") return assert.fail("it was booked")
      const waiting = { ...values, assigns: other.id }
      assert.strictEqual(yield* carry(id, "adjustment", waiting), "state_conflict")
      assert.isNull(yield* carry(id, "adjustment", { ...waiting, id: proposed.adjustment.id }))
      assert.strictEqual(yield* balanceOf(id, "float:available", "USDC_BASE"), 500n)
    }).pipe(Effect.provide(store))
  )

  it.effect("corrects the operation that an adjustment names", () =>
    Effect.gen(function* () {
      const id = yield* live
      const found = adjustFloat({ amount: of(500n, "USDC_BASE"), against: "custodian", reason: "found" })
      const { id: corrects } = yield* submit(id, found)
      const values = { id: "a1", currency: "USDC_BASE", units: "-200", against: "custodian", reason: "less" } as const
      assert.strictEqual(yield* carry(id, "adjustment", { ...values, corrects: crypto.randomUUID() }), "not_found")
      assert.isNull(yield* carry(id, "adjustment", { ...values, corrects }))
      const operations = yield* (yield* Queries).operations({ tenantId: id, order: "oldest", limit: 9 })
      assert.deepStrictEqual(
        operations.flatMap((one) => ofKind(one, "ADJUSTMENT").details.corrects ?? []),
        [corrects]
      )
    }).pipe(Effect.provide(store))
  )

  it.effect("books an adjustment from and to places of its currency", () =>
    Effect.gen(function* () {
      const id = yield* live
      const values = { id: "a1", currency: "USDC_BASE", units: "500", against: "custodian", reason: "found" } as const
      assert.isNull(yield* carry(id, "adjustment", values))
      assert.strictEqual(yield* balanceOf(id, "float:available", "USDC_BASE"), 500n)
      assert.strictEqual(yield* balanceOf(id, "custodian", "USDC_BASE"), 500n)
      const entered = yield* (yield* Queries).operations({ tenantId: id, order: "oldest", limit: 10 })
      assert.deepStrictEqual(
        entered.map(({ details }) => [details["made_by"], details["approved_by"]]),
        [["olga", "grant:7"]]
      )
      const moving = { ...values, id: "a2", units: "200", from: "custodian", against: "bank" }
      assert.isNull(yield* carry(id, "adjustment", moving))
      assert.strictEqual(yield* balanceOf(id, "custodian", "USDC_BASE"), 300n)
      assert.strictEqual(yield* balanceOf(id, "bank", "USDC_BASE"), 200n)
      for (const more of [{ currency: "XXX" }, { against: "nowhere" }, { from: "nowhere" }])
        assert.strictEqual(yield* carry(id, "adjustment", { ...values, id: "a3", ...more }), "state_conflict")
      assert.strictEqual(yield* balanceOf(id, "float:available", "USDC_BASE"), 500n)
    }).pipe(Effect.provide(store))
  )

  it.effect("approves the operation that it says, and no other", () =>
    Effect.gen(function* () {
      const { id } = yield* payer({ payoutReviewUsd: "50" })
      const [one, other] = [yield* accepted(id), yield* accepted(id)]
      const values = reviewValues(one)
      for (const more of [
        { operation_id: crypto.randomUUID() },
        { operation_id: other.id, units: "1" },
        { units: "1" },
        { currency: "USDC_ETH" }
      ])
        assert.strictEqual(yield* carry(id, "review", { ...values, ...more }), "state_conflict")
      assert.isNull(yield* carry(id, "review", values))
      const { operation } = yield* stateOf(id, one.id)
      assert.strictEqual(operation.status, "ACCEPTED")
      assert.deepInclude(operation.details.review, { state: "APPROVED", by: "grant:7" })
      assert.strictEqual((yield* stateOf(id, other.id)).operation.status, "IN_REVIEW")
    }).pipe(Effect.provide(store))
  )

  it.effect("approves no payout that a transaction which was given as evidence may have made", () =>
    Effect.gen(function* () {
      const { id } = yield* payer()
      const { id: operationId } = yield* accepted(id)
      const { payout } = yield* stateOf(id, operationId)
      yield* submit(id, holdSignedBefore({ payout, hashes: ["0xlost"], currencies }))
      const { operation, payout: told } = yield* stateOf(id, operationId)
      const given = { payout: told, txHash: "0xlost", note: "seen", by: "ann" }
      const evidence = yield* submit(id, attachEvidence(given))
      const values = reviewValues(operation)
      assert.strictEqual(yield* carry(id, "review", values), "state_conflict")
      yield* submit(
        id,
        recordEvidence(evidence, { verdict: "NOT_PROVEN", reason: "not so" }, presetNetworks.of("ethereum"))
      )
      assert.isNull(yield* carry(id, "review", values))
    }).pipe(Effect.provide(store))
  )
})

describe("what nobody may do without a grant", () => {
  it.effect("is said with the values to propose, and the chain to propose them on", () =>
    Effect.gen(function* () {
      const id = yield* live
      const values = { suspended: false, reason: "" }
      const refusal = grantRequired({ kind: "suspension", values }, id)
      assert.deepInclude(refusal, { code: "grant_required", detail: { kind: "suspension", chain: id, values } })
      assert.deepInclude(grantRequired({ kind: "suspension", values }, null).detail, { chain: "fleet" })
    }).pipe(Effect.provide(store))
  )

  it.effect("is to raise a limit of a tenant that was active, or to end its suspension", () =>
    Effect.gen(function* () {
      const id = yield* live
      yield* submit(id, setTenantPolicy({ withdrawalLimitUsd: "100" }))
      const raising = yield* Effect.flip(submit(id, lowerTenantPolicy({ withdrawalLimitUsd: "200" }, undefined)))
      const { policy } = yield* tenantOf(id)
      assert.deepInclude(raising, { code: "grant_required" })
      assert.deepInclude(raising._tag === "Refusal" ? raising.detail : {}, {
        kind: "policy",
        chain: id,
        values: policyValues({ kind: "LIVE", policy: { ...policy, withdrawalLimitUsd: "200" } })
      })
      assert.strictEqual(
        (yield* submit(id, lowerTenantPolicy({ withdrawalLimitUsd: "50" }, undefined))).policy.withdrawalLimitUsd,
        "50"
      )
      yield* submit(id, setTenantStatus("SUSPENDED"))
      const ending = yield* Effect.flip(submit(id, activateNewTenant("It is over.")))
      assert.deepInclude(ending, { code: "grant_required" })
      assert.deepInclude(ending._tag === "Refusal" ? ending.detail : {}, {
        kind: "suspension",
        values: { suspended: false, reason: "It is over." }
      })
      const { id: fresh } = yield* newTenant({ status: "ONBOARDING" })
      yield* submit(fresh, lowerTenantPolicy({ withdrawalLimitUsd: "999999" }, undefined))
      assert.strictEqual((yield* submit(fresh, activateNewTenant(""))).status, "ACTIVE")
    }).pipe(Effect.provide(store))
  )

  it.effect("is no way to say what no grant can, which would void all that the row has lowered", () =>
    Effect.gen(function* () {
      const ranges = Array.from({ length: 201 }, (_, at) => `10.0.0.${at}`)
      for (const status of ["ACTIVE", "ONBOARDING"] as const) {
        const { id } = yield* newTenant({ status })
        yield* submit(id, setTenantPolicy({ ipAllowlist: null }))
        const before = yield* tenantOf(id)
        for (const [name, patch] of [
          ["ip_allowlist", { ipAllowlist: ranges }],
          ["payout_limit_usd", { payoutLimitUsd: "0.0000000000000000001" }],
          ["payout_minimums", { payoutMinimums: { EUR: "0.0000000000000000001" } }],
          ["payouts_off_on", { payoutsOffOn: Array.from({ length: 101 }, () => "tron" as const) }]
        ] as const) {
          const refusal = yield* Effect.flip(submit(id, lowerTenantPolicy(patch, undefined)))
          assert.deepInclude(refusal, { code: "invalid_request" })
          assert.include(refusal.message, name)
        }
        assert.deepStrictEqual(yield* tenantOf(id), before)
        yield* submit(
          id,
          lowerTenantPolicy({ ipAllowlist: ranges.slice(1), payoutLimitUsd: "0.000000000000000001" }, undefined)
        )
        assert.strictEqual((yield* tenantOf(id)).policy.ipAllowlist?.length, 200)
      }
    }).pipe(Effect.provide(store))
  )

  it.effect("stops what leaves also where its row says something else that no grant can", () =>
    Effect.gen(function* () {
      const id = yield* live
      yield* submit(id, setTenantPolicy({ payoutLimitUsd: "0.0000000000000000001" }))
      const { policy } = yield* submit(id, lowerTenantPolicy({ payoutsEnabled: false }, undefined))
      assert.isFalse(policy.payoutsEnabled)
    }).pipe(Effect.provide(store))
  )

  it.effect("says which grant a raise takes also where its row has a setting of another form that stays", () =>
    Effect.gen(function* () {
      const agreed = policyValues({ kind: "LIVE", policy: { ...defaultPolicy, payoutLimitUsd: "1000" } })
      const odds: ReadonlyArray<object> = [
        { slippageBps: null },
        { withdrawalWindowHours: "x" },
        { destinationCoolingHours: 1e30 },
        { payoutsOffOn: null }
      ]
      for (const odd of odds) {
        const id = yield* live
        // as somebody has written into it
        const row: TenantPolicy = { ...defaultPolicy, payoutLimitUsd: "1000", ...odd }
        yield* submit(id, setTenantPolicy(row))
        for (const chain of [agreed, undefined, "unreadable"] as const) {
          const raised = yield* Effect.flip(submit(id, lowerTenantPolicy({ payoutLimitUsd: "2000" }, chain)))
          assert.deepInclude(raised, { code: "grant_required" })
          const usual = chain === agreed ? agreed : policyValues({ kind: "LIVE", policy: defaultPolicy })
          assert.deepInclude(raised._tag === "Refusal" ? raised.detail : {}, {
            values: { ...usual, payout_limit_usd: "2000" }
          })
        }
      }
    }).pipe(Effect.provide(store))
  )

  it.effect("lowers, and raises nothing, also where its row has settings of another form, which a grant mends", () =>
    Effect.gen(function* () {
      const id = yield* live
      const odd = { payoutMinimums: null, payoutLimitUsd: 5 } as unknown as TenantPolicy // as somebody has written into the row
      yield* submit(id, setTenantPolicy({ ...odd, payoutDailyLimitUsd: "10" }))
      const agreed = policyValues({ kind: "LIVE", policy: defaultPolicy })
      for (const chain of [agreed, undefined, "unreadable"] as const) {
        const raised = yield* Effect.flip(submit(id, lowerTenantPolicy({ payoutDailyLimitUsd: "20" }, chain)))
        assert.strictEqual(
          raised._tag === "Refusal" && raised.code,
          chain === agreed ? "state_conflict" : "grant_required"
        )
        const { policy } = yield* submit(id, lowerTenantPolicy({ payoutsEnabled: false }, chain))
        assert.isFalse(policy.payoutsEnabled)
      }
      const wanted = { ...agreed, withdrawals_enabled: false }
      assert.isNull(yield* carry(id, "policy", wanted, { direction: "lowers", before: agreed }))
      assert.deepStrictEqual(policyValues(yield* tenantOf(id)), {
        ...wanted,
        payouts_enabled: false,
        payout_daily_limit_usd: "10"
      })
    }).pipe(Effect.provide(store))
  )

  it.effect(
    "is of a policy what the chain says with the change, for what operators lowered beside it is no part of that",
    () =>
      Effect.gen(function* () {
        const id = yield* live
        const agreed = { ...defaultPolicy, payoutsEnabled: true, payoutLimitUsd: "1000", payoutDailyLimitUsd: "5000" }
        const values = (policy: TenantPolicy) => policyValues({ kind: "LIVE", policy })
        const asked = Effect.fnUntraced(function* (lowered: Partial<TenantPolicy>, patch: Partial<TenantPolicy>) {
          yield* submit(id, setTenantPolicy({ ...agreed, ...lowered }))
          const refusal = yield* Effect.flip(submit(id, lowerTenantPolicy(patch, values(agreed))))
          return refusal._tag === "Refusal" ? refusal : assert.fail(refusal._tag)
        })
        const beside = yield* asked({ payoutsEnabled: false }, { payoutDailyLimitUsd: "9000" })
        assert.deepInclude(beside.detail, { values: values({ ...agreed, payoutDailyLimitUsd: "9000" }) })
        // what was lowered, and nothing else was: the chain's own policy puts back just that
        const back = yield* asked({ payoutLimitUsd: "100" }, { payoutLimitUsd: "1000" })
        assert.deepInclude(back.detail, { values: values(agreed) })
        const lowered = { payoutsEnabled: false, payoutLimitUsd: "100" }
        for (const patch of [
          { payoutLimitUsd: "1000" },
          { payoutLimitUsd: "500" },
          { payoutLimitUsd: "1000", payoutDailyLimitUsd: "9000" }
        ]) {
          const refusal = yield* asked(lowered, patch)
          assert.strictEqual(refusal.code, "state_conflict")
          assert.include(refusal.message, "payouts_enabled, payout_limit_usd")
        }
      }).pipe(Effect.provide(store))
  )
})
