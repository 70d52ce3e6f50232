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

/** A tenant whose policy was not granted yet. */
const ungranted = Effect.gen(function* () {
  const granting = yield* setUpGrants
  const { operate } = yield* Operator
  const { ann, as, bob, state, tenant } = granting
  const alone = (path: string, body?: unknown) =>
    operate("POST", `/operator/v1${path}`, body === undefined ? {} : { body })
  const tenantNow = () => state.tenants.get(tenant)?.head.tenant
  const proposals = (chain: TenantId) => stored(state, chain, GrantProposal)
  /** The values of what is open and repeats what an operator has done. */
  const left = (chain: TenantId) =>
    [...proposals(chain).values()].flatMap(({ document, state: standing }) => {
      const read = JSON.parse(document)
      return standing === "OPEN" && read.note === note ? [read.values] : []
    })
  /** How a proposal is shown to those who approve. */
  const shown = ({ body: { chain, id } }: Answer) =>
    Effect.map(as("anna", "GET", `/chains/${chain}/proposals/${id}`), ({ body }) => body.state)
  const rejectOpen = (chain: TenantId) =>
    Effect.forEach([...proposals(chain).values()], ({ id, state: standing }) =>
      standing === "OPEN"
        ? as("otto", "POST", `/chains/${chain === fleetTenantId ? "fleet" : chain}/proposals/${id}/reject`, {
            reason: "It was a drill."
          })
        : Effect.void
    )
  /** What was signed can be brought along at any time. */
  const bring = Effect.fnUntraced(function* (proposal: Answer) {
    const { chain, document } = proposal.body
    const signatures = yield* Effect.forEach([ann, bob], (by) => granting.signed(proposal, by))
    const approvals = signatures.map(({ approval }) => approval)
    return yield* as("anna", "POST", `/chains/${chain}/entries`, { document, approvals })
  })
  return { ...granting, alone, bring, left, proposals, rejectOpen, shown, tenantNow }
})

/** A tenant whose policy is granted. */
const setUp = Effect.tap(ungranted, ({ ann, approve, bob, propose }) =>
  Effect.gen(function* () {
    const first = yield* propose({ kind: "policy", values: policy })
    yield* approve(first, ann)
    assert.strictEqual((yield* approve(first, bob)).body.state, "GRANTED")
  })
)

describe("an approval that was given before an operator has lowered something", () => {
  test(
    "undoes nothing of a policy: the proposal is refused, and the lowering proposed in its place",
    Effect.gen(function* () {
      const { alone, ann, approve, bob, left, propose, shown, tenant, tenantNow } = yield* setUp
      const repeat = yield* propose({ kind: "policy", values: policy })
      yield* approve(repeat, ann)
      yield* alone(`/tenants/${tenant}/settings`, { payouts_enabled: false, payout_limit_usd: "7" })
      const late = yield* approve(repeat, bob)
      assert.deepStrictEqual(codeOf(late), [409, "state_conflict"])
      assert.include(late.body.error.message, "since this was proposed")
      assert.include(late.body.error.message, "payouts_enabled, payout_limit_usd")
      assert.deepInclude(tenantNow()?.policy, { payoutsEnabled: false, payoutLimitUsd: "7" })
      assert.strictEqual(yield* shown(repeat), "OUTDATED")
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
      const { alone, ann, approve, bob, left, propose, shown, state } = yield* setUp
      const values = (network: string) => ({ network, stopped: false, reason: "Over." })
      const going = yield* propose({ kind: "network", values: values("tron") }, "fleet")
      const other = yield* propose({ kind: "network", values: values("base") }, "fleet")
      yield* approve(going, ann)
      yield* alone("/networks/tron/stop-payouts", { reason: "A reorg." })
      assert.deepStrictEqual(codeOf(yield* approve(going, bob)), [409, "state_conflict"])
      assert.isTrue(stored(state, fleetTenantId, NetworkSwitch).get("tron")?.payoutsOff)
      assert.deepStrictEqual(yield* Effect.all([shown(going), shown(other)]), ["OUTDATED", "OPEN"])
      assert.deepStrictEqual(
        left(fleetTenantId).map(({ network }) => network),
        ["tron"]
      )
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

  test(
    "undoes nothing where the lowering was not proposed, for another proposal of the subject was open",
    Effect.gen(function* () {
      const { alone, bring, left, propose, rejectOpen, tenant, tenantNow } = yield* setUp
      const going = yield* propose({ kind: "suspension", values: { suspended: false, reason: "Over." } })
      yield* rejectOpen(tenant)
      yield* propose({ kind: "suspension", values: { suspended: true, reason: "A drill." } })
      yield* alone(`/tenants/${tenant}/suspend`)
      assert.deepStrictEqual(left(tenant), [])
      assert.deepStrictEqual(codeOf(yield* bring(going)), [409, "state_conflict"])
      assert.strictEqual(tenantNow()?.status, "SUSPENDED")
    })
  )

  test(
    "undoes nothing by the first policy of a tenant",
    Effect.gen(function* () {
      const { alone, ann, approve, bob, propose, tenant, tenantNow } = yield* ungranted
      const first = yield* propose({ kind: "policy", values: policy })
      yield* approve(first, ann)
      yield* alone(`/tenants/${tenant}/settings`, { payouts_enabled: false, payout_limit_usd: "7" })
      assert.deepStrictEqual(codeOf(yield* approve(first, bob)), [409, "state_conflict"])
      assert.deepInclude(tenantNow()?.policy, { payoutsEnabled: false, payoutLimitUsd: "7" })
      const again = yield* propose({ kind: "policy", values: policy })
      yield* approve(again, ann)
      assert.strictEqual((yield* approve(again, bob)).body.state, "GRANTED")
      assert.deepInclude(tenantNow()?.policy, { payoutsEnabled: true, payoutLimitUsd: defaultPolicy.payoutLimitUsd })
    })
  )

  test(
    "counts where it puts back nothing of what was lowered: an address that is added to a list",
    Effect.gen(function* () {
      const { alone, ann, approve, bob, propose, tenant, tenantNow } = yield* ungranted
      const values = (...last: ReadonlyArray<number>) => ({
        ...policy,
        ip_allowlist: last.map((one) => `10.0.0.${one}/32`)
      })
      const first = yield* propose({ kind: "policy", values: values(1, 2) })
      yield* approve(first, ann)
      yield* approve(first, bob)
      const more = yield* propose({ kind: "policy", values: values(1, 2, 3) })
      yield* approve(more, ann)
      yield* alone(`/tenants/${tenant}/settings`, { ip_allowlist: ["10.0.0.1/32"] })
      assert.strictEqual((yield* approve(more, bob)).body.state, "GRANTED")
      assert.deepStrictEqual(tenantNow()?.policy.ipAllowlist, ["10.0.0.1/32", "10.0.0.3/32"])
    })
  )
})

describe("what people propose and approve once they can see what was lowered", () => {
  test(
    "counts, whatever is asked for meanwhile that lowers nothing",
    Effect.gen(function* () {
      const { alone, ann, approve, bob, propose, rejectOpen, tenant, tenantNow } = yield* setUp
      yield* alone(`/tenants/${tenant}/settings`, { payout_limit_usd: "7" })
      yield* alone(`/tenants/${tenant}/suspend`)
      yield* rejectOpen(tenant)
      const going = yield* propose({ kind: "suspension", values: { suspended: false, reason: "Over." } })
      yield* approve(going, ann)
      const raise = yield* alone(`/tenants/${tenant}/settings`, { payout_limit_usd: "8" })
      assert.strictEqual(raise.status, 409, JSON.stringify(raise.body))
      assert.strictEqual((yield* approve(going, bob)).body.state, "GRANTED")
      assert.strictEqual(tenantNow()?.status, "ACTIVE")
    })
  )

  test(
    "is kept out by nobody's proposal, whatever its note says",
    Effect.gen(function* () {
      const { bring, propose, rejectOpen, tenant, tenantNow } = yield* setUp
      const raise = yield* propose({ kind: "policy", values: { ...policy, payout_limit_usd: "2000000" } })
      yield* rejectOpen(tenant)
      yield* propose({ kind: "policy", values: { ...policy, payout_limit_usd: "1" }, note })
      assert.strictEqual((yield* bring(raise)).status, 201)
      assert.strictEqual(tenantNow()?.policy.payoutLimitUsd, "2000000")
    })
  )
})
