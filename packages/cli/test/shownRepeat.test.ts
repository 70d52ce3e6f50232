import { grantText } from "@bursar/core/grant/GrantDocument"
import { policyValues } from "@bursar/core/grant/PolicyValues"
import { planGrants } from "@bursar/core/grant/grantPlan"
import { defaultPolicy } from "@bursar/core/tenant/Tenant"
import { documentOn, proposedAt } from "@bursar/testkit/fixtures/grants"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { settled } from "../../core/test/grant/chain.ts"
import { examine, shown } from "../src/commands/grantChain.ts"
import { shownPlan } from "../src/commands/grantPlan.ts"

const title = "Says again what holds. It puts back whatever operators have lowered without a grant, to"

it.effect("shows all values of a grant that repeats its chain, for no chain says which of them were lowered", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(proposedAt)
    const all = yield* settled() // ethereum was stopped, and resumed
    const chain = all.chain()
    const network = documentOn(chain, "network", { network: "ethereum", stopped: false, reason: "It is over." })
    const resumed = shown(yield* examine({ fleet: chain.fleet }, { document: grantText(network) }))
    assert.include(resumed, `${title}\n  network: ethereum\n  reason: It is over.\n  stopped: false`)
    assert.notInclude(resumed, "Changes")

    const values = policyValues({ kind: "SANDBOX", policy: { ...defaultPolicy, payoutsEnabled: true } })
    yield* all.grant("policy", values, [all.ann, all.bob])
    const policy = documentOn(all.chain(), "policy", values)
    const again = shown(yield* examine(all.chain(), { document: grantText(policy) }))
    assert.include(again, `${title}\n  address_proof_required: `)
    assert.include(again, "\n  payouts_enabled: true")

    const raised = documentOn(all.chain(), "policy", { ...values, payout_limit_usd: "1000000" })
    const other = shown(yield* examine(all.chain(), { document: grantText(raised) }))
    const lowered = "What it raises holds then, also where operators have lowered it without a grant."
    assert.strictEqual(other.split("\n").at(-1), lowered)
    for (const text of [resumed, again]) assert.notInclude(text, lowered)
  })
)

it.effect("shows the same of a plan", () =>
  Effect.gen(function* () {
    const all = yield* settled()
    const values = { network: "ethereum", stopped: false, reason: "Over." }
    const draft = { note: "", by: "olga", now: proposedAt, expiresAt: proposedAt + 1_000 }
    const { grants } = yield* planGrants({ fleet: all.chain().fleet }, [{ kind: "network", values }], draft)
    const left = grants.map((grant) => ({ ...grant, approvals: [], people: new Set<string>() }))
    const text = shownPlan({ digest: "d", chains: [{ chain: "fleet", name: "fleet", total: 1, left }] })
    assert.include(text, title)
    assert.include(text, "stopped: false")
  })
)
