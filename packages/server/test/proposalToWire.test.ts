import type { GrantProposal } from "@bursar/core/grant/Grant"
import type { KnownChain } from "@bursar/core/grant/grantCommands"
import { type GrantDocument, grantText } from "@bursar/core/grant/GrantDocument"
import { grantHash } from "@bursar/core/grant/grantHash"
import type { LowerableRows } from "@bursar/core/grant/overruled"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import { defaultPolicy, type Tenant } from "@bursar/core/tenant/Tenant"
import { documentOn, grantTenant, proposedAt } from "@bursar/testkit/fixtures/grants"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { destination, settled, world } from "../../core/test/grant/chain.ts"
import { proposalToWire } from "../src/handlers/operator/grants/toWire.ts"

/** A document as it is shown while it is proposed. */
const shown = Effect.fnUntraced(function* (chain: KnownChain, document: GrantDocument, rows: LowerableRows) {
  const text = grantText(document)
  const proposal: GrantProposal = {
    id: "0190a5e1-682f-4b02-a706-3b2422d13aec",
    number: Number(document.number),
    hash: yield* grantHash(text),
    document: text,
    approvals: [],
    state: "OPEN",
    proposedBy: "bob",
    proposedAt,
    expiresAt: Date.parse(document.expires_at),
    decidedBy: null,
    decidedAt: null,
    reason: null
  }
  return proposalToWire({ chain, rows, now: proposedAt }, proposal)
})

const noRows: LowerableRows = { switches: [] }

/** A tenant whose row says what was granted. */
const acme: Tenant = {
  id: grantTenant,
  slug: "acme",
  name: "Acme",
  kind: "SANDBOX",
  status: "ACTIVE",
  policy: defaultPolicy,
  createdAt: proposedAt
}

describe("what is shown of a proposal before people approve it", () => {
  it.effect("names each grant that an adoption confirms, what it says, and whose key that approved it is gone", () =>
    Effect.gen(function* () {
      const all = yield* world()
      const { approvers, quorum, quorums } = all.root
      yield* all.grant("destination", { ...destination("thief", "USDC_ETH"), label: "A thief's" }, [all.bob, all.cleo])
      const without = approvers.filter(({ id }) => id !== "cleo")
      yield* all.grant("approvers", { approvers: without, quorum, quorums }, [all.bob])
      const wire = yield* shown(all.chain(), documentOn(all.chain(), "adoption", {}), noRows)
      assert.strictEqual(wire.state, "OPEN")
      const [one, ...others] = wire.confirms ?? []
      assert.deepStrictEqual(others, [])
      assert.strictEqual(`${one?.number} ${one?.kind} ${one?.subject}`, "1 destination thief")
      assert.deepStrictEqual(one?.approved_by, [
        { person: "bob", counts: true },
        { person: "cleo", counts: false }
      ])
      assert.deepInclude(one?.values ?? [], { path: "label", from: null, to: "A thief's" })
      assert.isFalse(wire.repeats)
    })
  )

  it.effect("names what a grant puts back that repeats its chain: a network, a suspension, limits", () =>
    Effect.gen(function* () {
      const all = yield* settled() // ethereum was stopped, and resumed
      yield* all.grant("suspension", { suspended: false, reason: "" }, [all.ann, all.bob])
      const chain = all.chain()
      const fleet = { fleet: chain.fleet }
      const network = "ethereum"
      const switches = [{ network, payoutsOff: true, reason: "A thief.", changedBy: "olga", changedAt: proposedAt - 1 }]

      const resumed = documentOn(chain, "network", { network, stopped: false, reason: "Over." })
      const wire = yield* shown(fleet, resumed, { switches })
      assert.isTrue(wire.repeats)
      assert.deepStrictEqual(wire.changes, [
        { path: "reason", from: "A thief.", to: "Over." },
        { path: "stopped", from: "true", to: "false" }
      ])
      assert.deepStrictEqual((yield* shown(fleet, resumed, noRows)).changes, [])

      const suspended: Tenant = { ...acme, status: "SUSPENDED" }
      const ended = documentOn(chain, "suspension", { suspended: false, reason: "" })
      assert.deepStrictEqual((yield* shown(chain, ended, { switches: [], tenant: suspended })).changes, [
        { path: "suspended", from: "true", to: "false" }
      ])

      const lowered: Tenant = { ...acme, policy: { ...defaultPolicy, destinationCoolingHours: 500 } }
      const again = documentOn(chain, "policy", policyValues(acme))
      const back = yield* shown(chain, again, { switches: [], tenant: lowered })
      assert.isTrue(back.repeats)
      assert.deepStrictEqual(back.changes, [
        { path: "destination_cooling_hours", from: "500", to: String(defaultPolicy.destinationCoolingHours) }
      ])
      assert.isNull(back.confirms)
    })
  )

  it.effect("tells of another policy what becomes of what holds, where operators have lowered it without a grant", () =>
    Effect.gen(function* () {
      const all = yield* world()
      const policy = { ...defaultPolicy, payoutLimitUsd: "100" }
      const values = policyValues({ kind: "SANDBOX", policy })
      const given = { switches: [], tenant: { ...acme, policy } }
      assert.isNull((yield* shown(all.chain(), documentOn(all.chain(), "policy", values), given)).in_force) // the first
      yield* all.grant("policy", values, [all.ann, all.bob])

      const to = Effect.fnUntraced(function* (limit: string, rows: LowerableRows) {
        const document = documentOn(all.chain(), "policy", { ...values, payout_limit_usd: limit })
        const wire = yield* shown(all.chain(), document, rows)
        assert.deepStrictEqual(wire.changes, [{ path: "payout_limit_usd", from: "100", to: limit }])
        return wire.in_force
      })
      const lowered = { switches: [], tenant: { ...acme, policy: { ...policy, payoutLimitUsd: "10" } } }
      assert.deepStrictEqual(yield* to("120", lowered), [{ path: "payout_limit_usd", from: "10", to: "120" }])
      assert.deepStrictEqual(yield* to("80", lowered), [])
      assert.deepStrictEqual(yield* to("5", lowered), [{ path: "payout_limit_usd", from: "10", to: "5" }])
      // also where somebody has written something of another form into the row
      const strange = { ...lowered.tenant, policy: { ...lowered.tenant.policy, payoutMinimums: null as never } }
      assert.deepStrictEqual(yield* to("120", { switches: [], tenant: strange }), [
        { path: "payout_limit_usd", from: "10", to: "120" }
      ])
      // and nothing where the row says what the chain says, or less of something else
      const other = { switches: [], tenant: { ...acme, policy: { ...policy, destinationCoolingHours: 500 } } }
      for (const rows of [given, other]) assert.isNull(yield* to("120", rows))
      const again = yield* shown(all.chain(), documentOn(all.chain(), "policy", values), lowered)
      assert.deepStrictEqual(
        [again.repeats, again.in_force, again.changes],
        [true, null, [{ path: "payout_limit_usd", from: "10", to: "100" }]]
      )
    })
  )

  it.effect("is nothing to approve where it would put back what an operator has lowered since", () =>
    Effect.gen(function* () {
      const all = yield* settled()
      yield* all.grant("suspension", { suspended: false, reason: "" }, [all.ann, all.bob])
      const chain = all.chain()
      const ended = documentOn(chain, "suspension", { suspended: false, reason: "" })
      const stateAt = (loweredAt: number) =>
        Effect.map(
          shown(chain, ended, { switches: [], tenant: { ...acme, status: "SUSPENDED", loweredAt } }),
          ({ approvals_needed, outdated_because: why, state }) => [state, approvals_needed, why === null]
        )
      assert.deepStrictEqual(yield* stateAt(proposedAt - 1), ["OPEN", 2, true])
      assert.deepStrictEqual(yield* stateAt(proposedAt + 1), ["OUTDATED", null, false])
    })
  )

  it.effect("tells of any other what it changes of its chain, whatever rows say", () =>
    Effect.gen(function* () {
      const all = yield* settled()
      const stopped = documentOn(all.chain(), "network", { network: "ethereum", stopped: true, reason: "Over." })
      const wire = yield* shown({ fleet: all.chain().fleet }, stopped, noRows)
      assert.isFalse(wire.repeats)
      assert.deepStrictEqual(wire.changes, [{ path: "stopped", from: "false", to: "true" }])
    })
  )
})
