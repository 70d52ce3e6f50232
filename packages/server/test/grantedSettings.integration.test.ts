import { Destination, usableDestination } from "@bursar/core/destination/Destination"
import { toIso } from "@bursar/core/base/Timestamp"
import { fleetTenantId, Grant, GrantProposal } from "@bursar/core/grant/Grant"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import { fleetGenesis, tenantGenesis, verifyTenant } from "@bursar/core/grant/verifyChain"
import { NetworkSwitch } from "@bursar/core/port/NetworkSwitches"
import { SigningKey } from "@bursar/core/signature/SigningKey"
import { defaultPolicy } from "@bursar/core/tenant/Tenant"
import { approvedBy, documentOn, testApprover } from "@bursar/testkit/fixtures/grants"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { codeOf, layerGranted, setUp as setUpGrants, trust } from "./support/grants.ts"
import { Operator } from "./support/Operator.ts"
import type { Answer } from "./support/Partner.ts"
import { stored } from "./support/stored.ts"

const test = <A, E>(name: string, effect: Effect.Effect<A, E, Operator>) =>
  it.live(name, () => Effect.provide(effect, layerGranted))

const destinationId = "019845e1-682f-4b02-a706-3b2422d13aec"

const destination = {
  id: destinationId,
  currency: "USDT_ETH",
  network: "ethereum",
  address: `0x${"ab".repeat(20)}`,
  memo: null,
  label: "Treasury",
  usable_from: "2027-01-01T00:00:00.000Z",
  state: "ACTIVE"
}

const publicKey = "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"
const keyid = "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U"
const signingKey = { api_key_id: "AAAAAAAA", keyid, public_key: publicKey, state: "ACTIVE" }

const setUp = Effect.gen(function* () {
  const granting = yield* setUpGrants
  const { operate } = yield* Operator
  const { ann, approve, bob, propose, state, tenant } = granting
  const alone = (path: string, body?: unknown) =>
    operate("POST", `/operator/v1${path}`, body === undefined ? {} : { body })
  /** Proposes a grant and has some people approve it; gives the last answer. */
  const grant = Effect.fnUntraced(function* (
    kind: string,
    values: unknown,
    { chain, people = [ann, bob] }: { readonly chain?: string; readonly people?: ReadonlyArray<typeof ann> } = {}
  ) {
    let answer: Answer = yield* propose({ kind, values }, chain)
    assert.strictEqual(answer.status, 201, answer.text)
    for (const person of people) answer = yield* approve(answer, person)
    return answer
  })
  const tenantNow = () => state.tenants.get(tenant)?.head.tenant
  const open = (chain = tenant) =>
    [...stored(state, chain, GrantProposal).values()].filter((one) => one.state === "OPEN")
  return { ...granting, alone, grant, open, tenantNow }
})

const valuesOf = ({ document }: GrantProposal) => JSON.parse(document).values

describe("a grant that brings its approvals along", () => {
  test(
    "is logged for the checker as one that is approved here, a destination and its revocation",
    Effect.gen(function* () {
      const { ann, as, bob, propose, signed, state, tenant } = yield* setUp
      const { operate } = yield* Operator
      const append = Effect.fnUntraced(function* (values: unknown, people: ReadonlyArray<typeof ann>) {
        const proposal = yield* propose({ kind: "destination", values })
        const approvals = yield* Effect.forEach(people, (by) =>
          Effect.map(signed(proposal, by), ({ approval }) => approval)
        )
        const body = { document: proposal.body.document, approvals }
        const answer = yield* as("anna", "POST", `/chains/${tenant}/entries`, body)
        assert.strictEqual(answer.status, 201, answer.text)
      })
      const wrong = Effect.map(
        operate("GET", "/operator/v1/check"),
        ({ body }) =>
          body.invariants.find(
            (one: { readonly invariant: string; readonly tenant_id: string }) =>
              one.invariant === "destination-log" && one.tenant_id === tenant
          ).first_wrong
      )
      yield* append(destination, [ann, bob])
      assert.isNull(yield* wrong)
      const [row] = stored(state, tenant, Destination).values()
      if (row === undefined) return assert.fail("it is not there")
      stored(state, tenant, Destination).set(row.id, { ...row, address: `0x${"66".repeat(20)}` })
      assert.include(yield* wrong, "is not what grant:1 verified")
      stored(state, tenant, Destination).set(row.id, row)
      yield* append({ ...destination, state: "REVOKED" }, [ann])
      const [revoked] = stored(state, tenant, Destination).values()
      assert.isNumber(revoked?.rejectedAt)
      stored(state, tenant, Destination).set(row.id, row)
      assert.isString(yield* wrong, "whoever takes the revocation back in the row is named")
    })
  )
})

describe("a grant writes what it says with its last approval", () => {
  test(
    "a signing key, and its revocation",
    Effect.gen(function* () {
      const { ann, grant, propose, approve, state, tenant } = yield* setUp
      const proposal = yield* propose({ kind: "signing_key", values: signingKey })
      yield* approve(proposal, ann)
      assert.strictEqual(stored(state, tenant, SigningKey).size, 0)
      yield* grant("suspension", { suspended: true, reason: "" }, { people: [ann] })
      yield* grant("signing_key", signingKey)
      const [row] = stored(state, tenant, SigningKey).values()
      assert.deepInclude(row, { apiKeyId: "AAAAAAAA", keyid, publicKey, revokedAt: null })
      yield* grant("signing_key", { ...signingKey, state: "REVOKED" }, { people: [ann] })
      const [revoked] = stored(state, tenant, SigningKey).values()
      assert.isNumber(revoked?.revokedAt)
    })
  )

  test(
    "a destination, which receives from its moment on and is logged for the checker, and its revocation",
    Effect.gen(function* () {
      const { ann, grant, state, tenant } = yield* setUp
      const { operate } = yield* Operator
      yield* grant("destination", destination)
      const all = () => [...stored(state, tenant, Destination).values()]
      const later = Date.UTC(2027, 1, 1)
      assert.isUndefined(usableDestination(all(), "USDT_ETH", yield* Clock.currentTimeMillis))
      const usable = usableDestination(all(), "USDT_ETH", later)
      assert.deepInclude(usable, { id: destinationId, address: destination.address, verifiedBy: "grant:1" })
      const invariant = Effect.map(operate("GET", "/operator/v1/check"), ({ body }) =>
        body.invariants.find(
          (one: { readonly invariant: string; readonly tenant_id: string }) =>
            one.invariant === "destination-log" && one.tenant_id === tenant
        )
      )
      assert.isNull((yield* invariant).first_wrong)
      const [row] = all()
      if (row === undefined) return assert.fail("it is not there")
      stored(state, tenant, Destination).set(row.id, { ...row, address: `0x${"66".repeat(20)}` })
      assert.include((yield* invariant).first_wrong, "is not what grant:1 verified")
      stored(state, tenant, Destination).set(row.id, row)
      yield* grant("destination", { ...destination, state: "REVOKED" }, { people: [ann] })
      assert.isUndefined(usableDestination(all(), "USDT_ETH", later))
    })
  )

  test(
    "a destination that was rejected within its waiting time, and takes the place of the one before all the same",
    Effect.gen(function* () {
      const { ann, bob, state, tenant } = yield* setUp
      const { ask, operate, seeder } = yield* Operator
      const root = (yield* trust).root
      const at = Date.UTC(2025, 0, 1)
      const dayMs = 86_400_000
      const fleet = yield* fleetGenesis(root)
      let own = yield* tenantGenesis(root, tenant)
      // people have signed both long ago, and nobody has signed that one was rejected
      for (const [day, label] of ["old", "mistaken"].entries()) {
        const id = destinationId.slice(0, -1) + day
        const values = {
          ...destination,
          id,
          label,
          usable_from: toIso(at + (day + 1) * dayMs),
          state: "ACTIVE"
        } as const
        const entry = yield* approvedBy(documentOn({ fleet, tenant: own }, "destination", values, at), [ann, bob])
        const recorded = { ...entry, recordedAt: at + 1_000 }
        own = yield* verifyTenant(yield* trust, { tenantId: tenant, fleet, entries: [recorded], known: own })
        const { hash, number } = own.head
        stored(state, tenant, Grant).set(String(number), { ...recorded, hash, number, proposalId: null })
        stored(state, tenant, Destination).set(id, {
          id,
          currency: values.currency,
          network: values.network,
          address: values.address,
          memo: null,
          label,
          proposedBy: "olga",
          verifiedBy: `grant:${number}`,
          verifiedAt: at + day,
          usableFrom: Date.parse(values.usable_from),
          rejectedAt: label === "old" ? null : at + dayMs,
          rejectedReason: null,
          createdAt: at + day
        })
      }
      const { body } = yield* operate("GET", `/operator/v1/tenants/${tenant}/destinations`)
      assert.deepStrictEqual(
        body.destinations.map((one: { readonly label: string; readonly state: string }) => `${one.label} ${one.state}`),
        ["old REPLACED", "mistaken REJECTED"]
      )
      const told = yield* ask("GET", "/v1/destinations", { key: yield* seeder.key(tenant) })
      assert.deepStrictEqual(
        told.body.map((one: { readonly label: string; readonly verified: boolean }) => `${one.label} ${one.verified}`),
        ["mistaken false"]
      )
    })
  )

  test(
    "a policy, a suspension and its end, a stopped network and its resumption, an adjustment",
    Effect.gen(function* () {
      const { ann, grant, state, tenantNow } = yield* setUp
      const { operate } = yield* Operator
      const policy = { ...policyValues({ kind: "LIVE", policy: defaultPolicy }), payout_limit_usd: "99999" }
      yield* grant("policy", policy)
      assert.strictEqual(tenantNow()?.policy.payoutLimitUsd, "99999")
      yield* grant("suspension", { suspended: true, reason: "Asked for." }, { people: [ann] })
      assert.strictEqual(tenantNow()?.status, "SUSPENDED")
      yield* grant("suspension", { suspended: false, reason: "Over." })
      assert.strictEqual(tenantNow()?.status, "ACTIVE")
      const fleet = { chain: "fleet" }
      const stop = { network: "ethereum", stopped: true, reason: "A reorg." }
      yield* grant("network", stop, { ...fleet, people: [ann] })
      const row = () => stored(state, fleetTenantId, NetworkSwitch).get("ethereum")
      assert.deepInclude(row(), { payoutsOff: true, reason: "A reorg.", changedBy: "grant:1" })
      yield* grant("network", { ...stop, stopped: false }, fleet)
      assert.deepInclude(row(), { payoutsOff: false, reason: null })
      const adjustment = {
        id: "float-1",
        currency: "USDT_ETH",
        units: "2500000",
        against: "custodian",
        reason: "Paid in."
      }
      yield* grant("adjustment", adjustment)
      const { body } = yield* operate("GET", `/operator/v1/tenants/${tenantNow()?.id}/float`)
      assert.strictEqual(body.currencies[0].available.amount, "2.5")
    })
  )

  test(
    "and nothing, with no grant, where the records do not allow it",
    Effect.gen(function* () {
      const { ann, approve, bob, propose, state, tenant } = yield* setUp
      const taking = { id: "a", currency: "USDT_ETH", units: "-1", against: "custodian", reason: "Taken." }
      const wallet = { network: "ethereum", role: "PAYOUT", address: `0x${"cd".repeat(20)}`, state: "ACTIVE" }
      for (const [kind, values, code] of [
        ["signing_key", { ...signingKey, api_key_id: "BBBBBBBB" }, "state_conflict"],
        ["signing_key", { ...signingKey, keyid: "another" }, "invalid_request"],
        ["adjustment", taking, "state_conflict"],
        ["payout_wallet", wallet, "state_conflict"],
        ["destination", { ...destination, id: "d1" }, "state_conflict"],
        ["destination", { ...destination, address: `0x${"AB".repeat(20)}` }, "invalid_request"],
        ["destination", { ...destination, network: "base" }, "invalid_request"],
        [
          "policy",
          { ...policyValues({ kind: "LIVE", policy: defaultPolicy }), withdrawal_window_hours: "0" },
          "state_conflict"
        ],
        [
          "policy",
          { ...policyValues({ kind: "LIVE", policy: defaultPolicy }), ip_allowlist: ["everywhere"] },
          "invalid_request"
        ]
      ] as const)
        assert.strictEqual(codeOf(yield* propose({ kind, values }))[1], code, `${kind} ${JSON.stringify(values)}`)
      // what was possible when it was proposed is not any more
      const proposal = yield* propose({ kind: "signing_key", values: signingKey })
      yield* approve(proposal, ann)
      stored(state, tenant, SigningKey).set("x", { ...keyRow(tenant), revokedAt: 1 })
      assert.deepStrictEqual(codeOf(yield* approve(proposal, bob)), [409, "state_conflict"])
      assert.strictEqual(stored(state, tenant, GrantProposal).get(proposal.body.id)?.state, "OPEN")
    })
  )
})

const keyRow = (tenantId: SigningKey["tenantId"]): SigningKey => ({
  tenantId,
  apiKeyId: "AAAAAAAA",
  keyid,
  publicKey,
  createdAt: 0,
  revokedAt: null
})

describe("without a grant", () => {
  test(
    "nobody raises a risk: each is refused with the grant that it takes, ready to be proposed, and changes nothing",
    Effect.gen(function* () {
      const { alone, ann, grant, propose, state, tenant, tenantNow } = yield* setUp
      yield* grant("suspension", { suspended: true, reason: "" }, { people: [ann] })
      const before = JSON.stringify(tenantNow())
      const root = `/tenants/${tenant}`
      const jwk = { kty: "OKP", crv: "Ed25519", x: publicKey }
      for (const [path, body, kind, chain] of [
        [`${root}/signing-keys`, { api_key_id: "AAAAAAAA", public_jwk: jwk }, "signing_key", tenant],
        [
          `${root}/destinations`,
          { currency: "USDT_ETH", address: destination.address, label: "x" },
          "destination",
          tenant
        ],
        [`${root}/settings`, { payout_limit_usd: "30000" }, "policy", tenant],
        [`${root}/settings`, { payout_limit_usd: "1", payout_daily_limit_usd: null }, "policy", tenant],
        [`${root}/settings`, { ip_allowlist: null, slippage_bps: 1 }, "policy", tenant],
        [`${root}/activate`, undefined, "suspension", tenant],
        [
          `${root}/float-adjustments`,
          { currency: "EUR", amount: "1", against: "bank", reason: "x" },
          "adjustment",
          tenant
        ],
        ["/networks/ethereum/resume-payouts", undefined, "network", "fleet"],
        ["/reconciliation/places/chain:ethereum:payouts/resume", undefined, "network", "fleet"]
      ] as const) {
        const answer = yield* alone(path, body)
        assert.deepStrictEqual(codeOf(answer), [409, "grant_required"], `${path} ${answer.text}`)
        const { values, ...named } = answer.body.error.detail
        assert.deepStrictEqual(named, { kind, chain })
        const proposed = yield* propose({ kind, values }, chain)
        // of several policies one proposal stands open, and a place is resumed with its network
        assert.include(
          [201, /\/(?:settings|resume)$/u.test(path) ? 409 : 201],
          proposed.status,
          `${path} ${proposed.text}`
        )
      }
      // nobody is asked to grant that another stop ends than the one that somebody looked at
      yield* alone("/networks/ethereum/stop-payouts", { reason: "anew" })
      for (const path of [
        "/networks/ethereum/resume-payouts",
        "/reconciliation/places/chain:ethereum:payouts/resume"
      ]) {
        const other = yield* alone(`${path}?stopped_at=2020-01-01T00:00:00Z`, undefined)
        assert.deepStrictEqual(codeOf(other), [409, "state_conflict"], other.text)
      }
      assert.strictEqual(JSON.stringify(tenantNow()), before)
      for (const record of [SigningKey, Destination])
        assert.strictEqual(stored(state, tenant, record as typeof SigningKey).size, 0)
    })
  )

  test(
    "an operator sets the policy of a tenant that was never activated, and from then on raises nothing",
    Effect.gen(function* () {
      const { alone } = yield* setUp
      const made = yield* alone("/tenants", { slug: "fresh", name: "Fresh", kind: "SANDBOX" })
      const root = `/tenants/${made.body.id}`
      const raise = (limit: string) => alone(`${root}/settings`, { payout_limit_usd: limit, ip_allowlist: null })
      const first = yield* raise("90000")
      assert.strictEqual(first.status, 200, first.text)
      assert.strictEqual((yield* alone(`${root}/activate`)).status, 200)
      assert.deepStrictEqual(codeOf(yield* raise("90001")), [409, "grant_required"])
    })
  )

  test(
    "an operator raises nothing of a tenant whose policy was granted, also before it is activated",
    Effect.gen(function* () {
      const { alone, grant, state } = yield* setUp
      const made = yield* alone("/tenants", { slug: "fresh", name: "Fresh", kind: "SANDBOX" })
      const { id } = made.body
      const policy = { ...policyValues({ kind: "SANDBOX", policy: defaultPolicy }), payout_limit_usd: "100" }
      assert.strictEqual((yield* grant("policy", policy, { chain: id })).body.state, "GRANTED")
      const raised = yield* alone(`/tenants/${id}/settings`, { payout_limit_usd: "100000" })
      assert.deepStrictEqual(codeOf(raised), [409, "grant_required"])
      assert.deepStrictEqual(raised.body.error.detail.values, { ...policy, payout_limit_usd: "100000" })
      assert.strictEqual((yield* alone(`/tenants/${id}/settings`, { payout_limit_usd: "7" })).status, 200)
      const row = state.tenants.get(id)?.head.tenant
      assert.deepStrictEqual([row?.status, row?.policy.payoutLimitUsd], ["ONBOARDING", "7"])
    })
  )

  test(
    "nor while the chain of such a tenant cannot be read, which keeps nobody from lowering",
    Effect.gen(function* () {
      const { alone, grant, state } = yield* setUp
      const made = yield* alone("/tenants", { slug: "fresh", name: "Fresh", kind: "SANDBOX" })
      const { id } = made.body
      yield* grant("policy", policyValues({ kind: "SANDBOX", policy: defaultPolicy }), { chain: id })
      const grants = stored(state, id, Grant)
      const first = grants.get("1") ?? assert.fail("the policy was not granted")
      grants.set("2", { ...first, number: 2, document: "broken" })
      const raised = yield* alone(`/tenants/${id}/settings`, { payout_limit_usd: "100000" })
      assert.deepStrictEqual(codeOf(raised), [409, "grant_required"])
      assert.strictEqual((yield* alone(`/tenants/${id}/settings`, { payout_limit_usd: "7" })).status, 200)
      assert.strictEqual(state.tenants.get(id)?.head.tenant.policy.payoutLimitUsd, "7")
    })
  )

  test(
    "an operator still suspends, stops, revokes, rejects and lowers, and one approver makes the chain say it",
    Effect.gen(function* () {
      const { alone, ann, as, grant, open, signed, state, tenant, tenantNow } = yield* setUp
      yield* grant("policy", policyValues({ kind: "LIVE", policy: defaultPolicy }))
      yield* grant("signing_key", signingKey)
      yield* grant("destination", destination)
      const lowered = Effect.fnUntraced(function* (path: string, body: unknown, expected: unknown, chain = tenant) {
        const answer = yield* alone(path, body)
        assert.strictEqual(answer.status, 200, answer.text)
        const [proposal, more] = open(chain)
        assert.isUndefined(more)
        if (proposal === undefined) return assert.fail(`nothing was proposed after ${path}`)
        assert.deepInclude(valuesOf(proposal), expected)
        const name = chain === tenant ? tenant : "fleet"
        const shown = yield* as("otto", "GET", `/chains/${name}/proposals/${proposal.id}`)
        assert.strictEqual(shown.body.approvals_needed, 1)
        const approved = yield* as(
          "anna",
          "POST",
          `/chains/${name}/proposals/${proposal.id}/approve`,
          yield* signed(shown, ann)
        )
        assert.strictEqual(approved.body.state, "GRANTED", approved.text)
      })
      const root = `/tenants/${tenant}`
      yield* lowered(`${root}/suspend`, undefined, { suspended: true })
      yield* lowered(`${root}/settings`, { payout_limit_usd: "7" }, { payout_limit_usd: "7" })
      yield* lowered(`${root}/signing-keys/${keyid}/revoke`, {}, { keyid, state: "REVOKED" })
      yield* lowered(`${root}/destinations/${destinationId}/reject`, { reason: "No." }, { state: "REVOKED" })
      yield* lowered("/networks/ethereum/stop-payouts", { reason: "A reorg." }, { stopped: true }, fleetTenantId)
      assert.strictEqual(tenantNow()?.status, "SUSPENDED")
      assert.strictEqual(tenantNow()?.policy.payoutLimitUsd, "7")
      assert.isTrue(stored(state, fleetTenantId, NetworkSwitch).get("ethereum")?.payoutsOff)
    })
  )

  test(
    "the proposal of what an operator has lowered is left again where another grant outdates it, as long as it holds",
    Effect.gen(function* () {
      const { alone, ann, approve, as, bob, grant, open, propose, signed, tenant } = yield* setUp
      const policy = policyValues({ kind: "LIVE", policy: defaultPolicy })
      yield* grant("policy", policy)
      const root = `/tenants/${tenant}`
      yield* alone(`${root}/suspend`)
      yield* alone(`${root}/settings`, { payout_limit_usd: "7" })
      const left = () => open().map(({ document }) => JSON.parse(document))
      const subjects = () =>
        left().flatMap(({ kind, number }) => (kind === "currency_limit" ? [] : [`${kind} ${number}`]))
      assert.sameMembers(subjects(), ["suspension 2", "policy 2"])
      yield* grant("signing_key", signingKey)
      assert.sameMembers(subjects(), ["suspension 3", "policy 3"])
      const again = left().find(({ kind }) => kind === "policy")
      assert.deepInclude(again, {
        proposed_by: "root",
        note: "An operator has done this already. Approve it, so that nobody undoes it alone."
      })
      assert.deepStrictEqual(again.values, { ...policy, payout_limit_usd: "7" })

      // one that brings its approvals along outdates them, too
      const other = yield* propose({
        kind: "currency_limit",
        values: { currency: "USDT_ETH", per_payment: "1", per_hour: null, per_day: null }
      })
      const approvals = yield* Effect.forEach([ann, bob], (by) =>
        Effect.map(signed(other, by), ({ approval }) => approval)
      )
      yield* as("anna", "POST", `/chains/${tenant}/entries`, { document: other.body.document, approvals })
      assert.sameMembers(subjects(), ["suspension 4", "policy 4"])

      // the chain says one of them, and the other comes again
      const shown = open().find(({ document }) => JSON.parse(document).kind === "suspension")
      yield* approve(yield* as("otto", "GET", `/chains/${tenant}/proposals/${shown?.id}`), ann)
      assert.sameMembers(subjects(), ["policy 5"])
      const policyAgain = open().find(({ document }) => JSON.parse(document).kind === "policy")
      yield* as("otto", "POST", `/chains/${tenant}/proposals/${policyAgain?.id}/reject`, { reason: "A drill." })
      // what somebody has rejected stays rejected
      yield* grant("suspension", { suspended: false, reason: "" })
      assert.deepStrictEqual(subjects(), [])
    })
  )

  test(
    "the proposal of what an operator has lowered is left again where other approvers outdate it",
    Effect.gen(function* () {
      const { alone, as, grant, open, tenant } = yield* setUp
      yield* grant("policy", policyValues({ kind: "LIVE", policy: defaultPolicy }))
      yield* alone(`/tenants/${tenant}/suspend`)
      const before = new Set(open().map(({ id }) => id))
      const { root } = yield* trust
      const dan = yield* testApprover("dan", 9)
      const { approvers, quorum, quorums } = root
      const more = { approvers: [...approvers, dan.approver], quorum, quorums }
      const added = yield* grant("approvers", more, { chain: "fleet" })
      assert.strictEqual(added.body.state, "GRANTED", added.text)
      const { body } = yield* as("otto", "GET", `/chains/${tenant}/proposals`)
      const shown = body.proposals.map((one: Answer["body"]) => [one.kind, one.state, before.has(one.id)])
      assert.deepStrictEqual(shown.slice(0, 2), [
        ["suspension", "OPEN", false],
        ["suspension", "REJECTED", true]
      ])
    })
  )

  test(
    "what was lowered while another proposal of the policy waited is proposed once that is decided",
    Effect.gen(function* () {
      const { alone, ann, approve, as, bob, grant, open, propose, tenant, tenantNow } = yield* setUp
      const policy = {
        ...policyValues({ kind: "LIVE", policy: defaultPolicy }),
        payouts_enabled: true,
        payout_limit_usd: "1000",
        ip_allowlist: ["10.0.0.1", "10.0.0.2", "10.0.0.3"]
      }
      yield* grant("policy", policy)
      const set = (body: unknown) => alone(`/tenants/${tenant}/settings`, body)
      const raised = { ...policy, payout_limit_usd: "2000", ip_allowlist: ["10.0.0.1", "10.0.0.3"] }
      const raise = yield* propose({ kind: "policy", values: raised })
      yield* set({ payouts_enabled: false, ip_allowlist: ["10.0.0.1", "10.0.0.2"] })
      for (const person of [ann, bob]) yield* approve(raise, person)
      const lowered = { payouts_enabled: false, ip_allowlist: ["10.0.0.1"] }
      assert.deepInclude(tenantNow()?.policy, {
        payoutsEnabled: false,
        ipAllowlist: ["10.0.0.1"],
        payoutLimitUsd: "2000"
      })
      assert.deepStrictEqual(open().map(valuesOf), [{ ...raised, ...lowered }])
      assert.deepInclude(open()[0], { proposedBy: "service" })

      // lowered further while that waits: the rest comes after it
      yield* set({ payout_limit_usd: "500" })
      const [first] = open()
      yield* approve(yield* as("otto", "GET", `/chains/${tenant}/proposals/${first?.id}`), ann)
      assert.deepStrictEqual(open().map(valuesOf), [{ ...raised, ...lowered, payout_limit_usd: "500" }])
      const [second] = open()
      yield* as("otto", "POST", `/chains/${tenant}/proposals/${second?.id}/reject`, { reason: "A drill." })
      assert.deepStrictEqual(open(), [], "what somebody has rejected stays rejected")

      const other = yield* propose({ kind: "policy", values: raised })
      yield* set({ payout_limit_usd: "400" })
      yield* as("otto", "POST", `/chains/${tenant}/proposals/${other.body.id}/reject`, { reason: "No." })
      assert.deepStrictEqual(open().map(valuesOf), [{ ...raised, ...lowered, payout_limit_usd: "400" }])
    })
  )

  test(
    "only what operators lower is left again, as long as its row says it, and ends when it would have ended",
    Effect.gen(function* () {
      const { alone, grant, open, propose, state, tenant } = yield* setUp
      const policy = policyValues({ kind: "LIVE", policy: defaultPolicy })
      yield* grant("policy", policy)
      yield* grant("signing_key", signingKey)
      yield* grant("destination", destination)
      const note = "An operator has done this already. Approve it, so that nobody undoes it alone."
      const values = { currency: "USDT_ETH", per_payment: "1", per_hour: null, per_day: null }
      yield* propose({ kind: "currency_limit", values, expires_in_hours: 1, note })
      // nobody has revoked this one
      yield* propose({ kind: "signing_key", values: { ...signingKey, state: "REVOKED" }, note })
      yield* alone(`/tenants/${tenant}/destinations/${destinationId}/reject`, { reason: "No." })
      const of = (kind: string) =>
        [...stored(state, tenant, GrantProposal).values()].filter(({ document }) => JSON.parse(document).kind === kind)
      const before = open().find(({ document }) => JSON.parse(document).kind === "destination")
      // as if it had been left a while ago
      if (before === undefined) return assert.fail("nothing was proposed")
      const sooner = before.expiresAt - 86_400_000
      stored(state, tenant, GrantProposal).set(before.id, { ...before, expiresAt: sooner })
      yield* grant("policy", { ...policy, payout_limit_usd: "2000000" })
      assert.strictEqual(of("currency_limit").length, 1)
      assert.deepStrictEqual(
        of("signing_key").map((one) => one.state),
        ["GRANTED", "REJECTED"]
      )
      const left = of("destination").map((one) => [one.state, one.decidedBy])
      assert.deepStrictEqual(left, [
        ["GRANTED", "anna"],
        ["REJECTED", "service"],
        ["OPEN", null]
      ])
      assert.deepStrictEqual(
        of("destination").map((one) => one.expiresAt === sooner),
        [false, true, true]
      )
    })
  )

  test(
    "a destination is proposed for after one that was rejected within its waiting time, which takes its place all the same",
    Effect.gen(function* () {
      const { alone, grant, tenant } = yield* setUp
      const now = yield* Clock.currentTimeMillis
      const later = now + 30 * 86_400_000
      const mistaken = { ...destination, usable_from: toIso(later) }
      assert.strictEqual((yield* grant("destination", mistaken)).body.state, "GRANTED")
      const rejected = yield* alone(`/tenants/${tenant}/destinations/${destinationId}/reject`, { reason: "No." })
      assert.strictEqual(rejected.status, 200, rejected.text)
      const right = { currency: "USDT_ETH", address: `0x${"cd".repeat(20)}`, label: "Right" }
      const asked = yield* alone(`/tenants/${tenant}/destinations`, right)
      assert.deepStrictEqual(codeOf(asked), [409, "grant_required"])
      assert.strictEqual(asked.body.error.detail.values.usable_from, toIso(later + 1))
    })
  )

  test(
    "a waiting time that an operator has made longer counts for destinations that are granted, brought along, or were proposed before",
    Effect.gen(function* () {
      const { alone, ann, approve, as, bob, grant, propose, signed, state, tenant } = yield* setUp
      yield* grant("policy", policyValues({ kind: "LIVE", policy: { ...defaultPolicy, destinationCoolingHours: 24 } }))
      const now = yield* Clock.currentTimeMillis
      const after = (hours: number) => ({ ...destination, usable_from: toIso(now + hours * 3_600_000 + 60_000) })
      const early = yield* propose({ kind: "destination", values: after(24) })
      const { status } = yield* alone(`/tenants/${tenant}/settings`, { destination_cooling_hours: 240 })
      assert.strictEqual(status, 200)
      yield* approve(early, ann)
      assert.deepStrictEqual(codeOf(yield* approve(early, bob)), [409, "state_conflict"])
      const approvals = yield* Effect.forEach([ann, bob], (by) =>
        Effect.map(signed(early, by), ({ approval }) => approval)
      )
      const { document } = early.body
      const brought = yield* as("anna", "POST", `/chains/${tenant}/entries`, { document, approvals })
      assert.deepStrictEqual(codeOf(brought), [422, "invalid_request"])
      yield* as("otto", "POST", `/chains/${tenant}/proposals/${early.body.id}/reject`, { reason: "Too early." })
      const again = yield* propose({ kind: "destination", values: after(24) })
      assert.deepStrictEqual(codeOf(again), [409, "state_conflict"])
      assert.include(again.body.error.message, "240 hours")
      assert.strictEqual(stored(state, tenant, Destination).size, 0)
      assert.strictEqual((yield* grant("destination", after(240))).body.state, "GRANTED")
    })
  )

  test(
    "to put back one of several values that were lowered is refused, until the policy of the chain is granted again",
    Effect.gen(function* () {
      const { alone, as, grant, open, tenant, tenantNow } = yield* setUp
      const agreed = {
        ...policyValues({ kind: "LIVE", policy: defaultPolicy }),
        payouts_enabled: true,
        payout_limit_usd: "1000"
      }
      yield* grant("policy", agreed)
      const set = (body: unknown) => alone(`/tenants/${tenant}/settings`, body)
      assert.strictEqual((yield* set({ payouts_enabled: false, payout_limit_usd: "100" })).status, 200)
      for (const one of open())
        yield* as("otto", "POST", `/chains/${tenant}/proposals/${one.id}/reject`, { reason: "A drill." })
      const refused = yield* set({ payout_limit_usd: "1000" })
      assert.deepStrictEqual(codeOf(refused), [409, "state_conflict"])
      assert.include(refused.body.error.message, "payouts_enabled, payout_limit_usd")
      yield* grant("policy", agreed)
      const asked = yield* set({ payout_limit_usd: "2000" })
      assert.deepStrictEqual(asked.body.error.detail.values, { ...agreed, payout_limit_usd: "2000" })
      yield* grant("policy", asked.body.error.detail.values)
      assert.deepInclude(tenantNow()?.policy, { payoutsEnabled: true, payoutLimitUsd: "2000" })
    })
  )

  test(
    "stopped networks are proposed again each on its own, whatever the reason in the row says",
    Effect.gen(function* () {
      const { alone, ann, grant, open } = yield* setUp
      for (const [network, reason] of [
        ["base", "A reorg."],
        ["ethereum", "\u26a0\ufe0f A stolen laptop."], // with a sign that no grant may hold
        ["bsc", "A reorg."]
      ] as const) {
        const stopped = yield* alone(`/networks/${network}/stop-payouts`, { reason })
        assert.strictEqual(stopped.status, 200, stopped.text)
      }
      const left = () => open(fleetTenantId).map(({ document }) => JSON.parse(document))
      const before = left().map(({ values }) => values.reason)
      yield* grant("network", { network: "tron", stopped: true, reason: "" }, { chain: "fleet", people: [ann] })
      assert.sameMembers(
        left().map(({ number, subject }) => `${subject} ${number}`),
        ["base 2", "ethereum 2", "bsc 2"]
      )
      assert.sameMembers(
        left().map(({ values }) => values.reason),
        before
      )
    })
  )

  test(
    "one lowering that cannot be proposed again keeps no other from it",
    Effect.gen(function* () {
      const { alone, ann, grant, open, state } = yield* setUp
      for (const network of ["base", "ethereum", "bsc"])
        yield* alone(`/networks/${network}/stop-payouts`, { reason: "A reorg." })
      const proposals = stored(state, fleetTenantId, GrantProposal)
      for (const one of open(fleetTenantId))
        if (JSON.parse(one.document).subject === "ethereum")
          proposals.set(one.id, { ...one, document: one.document.replaceAll("ethereum", "elsewhere") })
      stored(state, fleetTenantId, NetworkSwitch).set("elsewhere", {
        network: "elsewhere" as never, // one that is configured no more
        payoutsOff: true,
        reason: "A reorg.",
        changedBy: "otto",
        changedAt: 0
      })
      yield* grant("network", { network: "tron", stopped: true, reason: "" }, { chain: "fleet", people: [ann] })
      assert.sameMembers(
        open(fleetTenantId).map(({ document }) => `${JSON.parse(document).subject} ${JSON.parse(document).number}`),
        ["base 2", "ethereum 2", "elsewhere 1", "bsc 2"]
      )
    })
  )

  test(
    "what an operator has lowered is put back by the quorum alone, also where the chain never said it",
    Effect.gen(function* () {
      const { alone, ann, approve, as, bob, grant, open, propose, tenant, tenantNow } = yield* setUp
      const rejectOpen = Effect.suspend(() =>
        Effect.forEach(open(), ({ id }) =>
          as("otto", "POST", `/chains/${tenant}/proposals/${id}/reject`, { reason: "It was a drill." })
        )
      )
      const policy = policyValues({ kind: "LIVE", policy: defaultPolicy })
      yield* grant("policy", policy)
      const root = `/tenants/${tenant}`
      yield* alone(`${root}/settings`, { payout_limit_usd: "7" })
      yield* rejectOpen
      // one person who lowers something else leaves it where it is
      yield* grant("policy", { ...policy, slippage_bps: "0", payout_daily_limit_usd: "100" }, { people: [ann] })
      assert.deepInclude(tenantNow()?.policy, { payoutLimitUsd: "7", payoutDailyLimitUsd: "100" })
      // nor do those who raise that again: nobody has shown them what they never lowered
      yield* grant("policy", policy)
      assert.deepStrictEqual(tenantNow()?.policy, { ...defaultPolicy, payoutLimitUsd: "7" })
      // to say again what the chain says puts all back
      yield* grant("policy", policy)
      assert.deepStrictEqual(tenantNow()?.policy, defaultPolicy)
      yield* alone(`${root}/suspend`)
      yield* rejectOpen
      const resuming = yield* propose({ kind: "suspension", values: { suspended: false, reason: "Over." } })
      const one = yield* approve(resuming, ann)
      assert.deepStrictEqual([one.body.state, tenantNow()?.status], ["OPEN", "SUSPENDED"])
      yield* approve(resuming, bob)
      assert.strictEqual(tenantNow()?.status, "ACTIVE")
    })
  )
})
