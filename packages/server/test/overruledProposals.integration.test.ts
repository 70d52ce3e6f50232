import { fleetTenantId, GrantProposal } from "@bursar/core/grant/Grant"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import { NetworkSwitch } from "@bursar/core/port/NetworkSwitches"
import { defaultPolicy, type TenantId } from "@bursar/core/tenant/Tenant"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { codeOf, layerGranted, setUp as setUpGrants } from "./support/grants.ts"
import { Operator } from "./support/Operator.ts"
import type { Answer } from "./support/Partner.ts"
import { stored } from "./support/stored.ts"

const test = <A, E>(name: string, effect: Effect.Effect<A, E, Operator>) =>
  it.live(name, () => Effect.provide(effect, layerGranted))

const policy = policyValues({ kind: "LIVE", policy: defaultPolicy })

const note = "An operator has done this already. Approve it, so that nobody undoes it alone."

/** A tenant whose policy is granted. */
const setUp = Effect.gen(function* () {
  const granting = yield* setUpGrants
  const { operate } = yield* Operator
  const { ann, approve, as, bob, propose, state, tenant } = granting
  const alone = (path: string, body?: unknown) =>
    operate("POST", `/operator/v1${path}`, body === undefined ? {} : { body })
  const first = yield* propose({ kind: "policy", values: policy })
  yield* approve(first, ann)
  yield* approve(first, bob)
  const tenantNow = () => state.tenants.get(tenant)?.head.tenant
  const proposals = (chain: TenantId) => stored(state, chain, GrantProposal)
  /** The values of what is open for approval, each of which repeats what an operator has done. */
  const left = (chain: TenantId) =>
    [...proposals(chain).values()].flatMap(({ document, state: standing }) => {
      const read = JSON.parse(document)
      if (standing === "OPEN") assert.strictEqual(read.note, note)
      return standing === "OPEN" ? [read.values] : []
    })
  const rejectOpen = (chain: TenantId) =>
    Effect.forEach([...proposals(chain).values()], ({ id, state: standing }) =>
      standing === "OPEN"
        ? as("otto", "POST", `/chains/${chain}/proposals/${id}/reject`, { reason: "It was a drill." })
        : Effect.void
    )
  /** What was signed can be brought along at any time. */
  const bring = Effect.fnUntraced(function* (proposal: Answer) {
    const { chain, document } = proposal.body
    const signatures = yield* Effect.forEach([ann, bob], (by) => granting.signed(proposal, by))
    const approvals = signatures.map(({ approval }) => approval)
    return yield* as("anna", "POST", `/chains/${chain}/entries`, { document, approvals })
  })
  return { ...granting, alone, bring, left, proposals, rejectOpen, tenantNow }
})

describe("an approval that was given before an operator has lowered something", () => {
  test(
    "undoes nothing of a policy: the proposal is rejected, and the lowering proposed in its place",
    Effect.gen(function* () {
      const { alone, ann, approve, bob, left, propose, proposals, tenant, tenantNow } = yield* setUp
      const repeat = yield* propose({ kind: "policy", values: policy })
      yield* approve(repeat, ann)
      yield* alone(`/tenants/${tenant}/settings`, { payouts_enabled: false, payout_limit_usd: "7" })
      assert.deepStrictEqual(codeOf(yield* approve(repeat, bob)), [409, "state_conflict"])
      assert.deepInclude(tenantNow()?.policy, { payoutsEnabled: false, payoutLimitUsd: "7" })
      assert.deepInclude(proposals(tenant).get(repeat.body.id), { state: "REJECTED", decidedBy: "service" })
      assert.deepStrictEqual(left(tenant), [{ ...policy, payouts_enabled: false, payout_limit_usd: "7" }])
    })
  )

  test(
    "ends no suspension",
    Effect.gen(function* () {
      const { alone, ann, approve, bob, left, propose, tenant, tenantNow } = yield* setUp
      const going = yield* propose({ kind: "suspension", values: { suspended: false, reason: "Over." } })
      yield* approve(going, ann)
      yield* alone(`/tenants/${tenant}/suspend`)
      assert.deepStrictEqual(codeOf(yield* approve(going, bob)), [409, "state_conflict"])
      assert.strictEqual(tenantNow()?.status, "SUSPENDED")
      assert.deepStrictEqual(
        left(tenant).map(({ suspended }) => suspended),
        [true]
      )
    })
  )

  test(
    "resumes no network, and what is open of another one stays",
    Effect.gen(function* () {
      const { alone, ann, approve, bob, propose, proposals, state } = yield* setUp
      const values = (network: string) => ({ network, stopped: false, reason: "Over." })
      const going = yield* propose({ kind: "network", values: values("tron") }, "fleet")
      const other = yield* propose({ kind: "network", values: values("base") }, "fleet")
      yield* approve(going, ann)
      yield* alone("/networks/tron/stop-payouts", { reason: "A reorg." })
      assert.deepStrictEqual(codeOf(yield* approve(going, bob)), [409, "state_conflict"])
      assert.isTrue(stored(state, fleetTenantId, NetworkSwitch).get("tron")?.payoutsOff)
      assert.strictEqual(proposals(fleetTenantId).get(other.body.id)?.state, "OPEN")
    })
  )

  test(
    "is for nothing where the proposal raises the very value that was lowered",
    Effect.gen(function* () {
      const { alone, ann, approve, bob, left, propose, tenant, tenantNow } = yield* setUp
      const raise = yield* propose({ kind: "policy", values: { ...policy, payout_limit_usd: "2000000" } })
      yield* approve(raise, ann)
      yield* alone(`/tenants/${tenant}/settings`, { payout_limit_usd: "7" })
      assert.deepStrictEqual(codeOf(yield* approve(raise, bob)), [409, "state_conflict"])
      assert.strictEqual(tenantNow()?.policy.payoutLimitUsd, "7")
      assert.deepStrictEqual(left(tenant), [{ ...policy, payout_limit_usd: "7" }])
    })
  )

  test(
    "counts where the proposal lowers, too: one that people have made stays open",
    Effect.gen(function* () {
      const { alone, ann, approve, propose, tenant, tenantNow } = yield* setUp
      const lower = yield* propose({ kind: "policy", values: { ...policy, payout_limit_usd: "100" } })
      yield* alone(`/tenants/${tenant}/settings`, { payouts_enabled: false })
      assert.strictEqual((yield* approve(lower, ann)).body.state, "GRANTED")
      assert.deepInclude(tenantNow()?.policy, { payoutsEnabled: false, payoutLimitUsd: "100" })
    })
  )

  test(
    "undoes nothing where it is brought along later, also once the proposal of the lowering was rejected",
    Effect.gen(function* () {
      const { alone, bring, propose, rejectOpen, tenant, tenantNow } = yield* setUp
      const signed = yield* propose({ kind: "policy", values: policy })
      yield* alone(`/tenants/${tenant}/settings`, { payout_limit_usd: "7" })
      for (const _ of ["open", "rejected"]) {
        assert.deepStrictEqual(codeOf(yield* bring(signed)), [409, "state_conflict"])
        assert.strictEqual(tenantNow()?.policy.payoutLimitUsd, "7")
        yield* rejectOpen(tenant)
      }
      // what is signed once people can see it puts it back
      const again = yield* propose({ kind: "policy", values: policy })
      assert.strictEqual((yield* bring(again)).status, 201)
      assert.strictEqual(tenantNow()?.policy.payoutLimitUsd, defaultPolicy.payoutLimitUsd)
    })
  )
})
