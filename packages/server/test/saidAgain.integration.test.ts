import { policyValues } from "@bursar/core/grant/PolicyValues"
import { defaultPolicy } from "@bursar/core/tenant/Tenant"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { codeOf, layerGranted, setUp as setUpGrants, tokenOf } from "./support/grants.ts"
import { Operator } from "./support/Operator.ts"
import type { Answer } from "./support/Partner.ts"

const policy = policyValues({ kind: "LIVE", policy: defaultPolicy })

/** A tenant whose policy is granted. */
const setUp = Effect.gen(function* () {
  const granting = yield* setUpGrants
  const { operate } = yield* Operator
  const { ann, approve, as, bob, propose } = granting
  const first = yield* propose({ kind: "policy", values: policy })
  for (const by of [ann, bob]) yield* approve(first, by)
  const open = (chain: string) =>
    Effect.map(as("anna", "GET", `/chains/${chain}/proposals`), (all) =>
      (all.body.proposals as ReadonlyArray<Answer["body"]>).flatMap((body) =>
        body.state === "OPEN" ? [{ ...all, body }] : []
      )
    )
  /** So that nothing else is open on a chain: what a lowering has left there is rejected. */
  const rejectOpen = Effect.fnUntraced(function* (chain: string) {
    for (const { body } of yield* open(chain))
      yield* as("anna", "POST", `/chains/${chain}/proposals/${body.id}/reject`, { reason: "It will be over soon." })
  })
  /** What ann has approved, and bob has not seen yet. */
  const halfApproved = Effect.fnUntraced(function* (content: unknown, chain?: string) {
    const proposal = yield* propose(content, chain)
    assert.strictEqual((yield* approve(proposal, ann)).body.state, "OPEN")
    yield* Effect.sleep("20 millis")
    return proposal
  })
  return { ...granting, halfApproved, open, operate, rejectOpen }
})

layer(layerGranted, { excludeTestServices: true })("what an operator lowers again", (it) => {
  for (const how of ["suspend", "settings"] as const)
    it.effect(`keeps a tenant suspended whose suspension others were about to end: ${how}`, () =>
      Effect.gen(function* () {
        const { ann, approve, bob, halfApproved, open, operate, tenant } = yield* setUp
        const suspend = operate("POST", `/operator/v1/tenants/${tenant}/suspend`)
        assert.strictEqual((yield* suspend).body.status, "SUSPENDED")
        // the chain says it, too
        for (const left of yield* open(tenant)) assert.strictEqual((yield* approve(left, ann)).body.state, "GRANTED")
        const end = yield* halfApproved({ kind: "suspension", values: { suspended: false, reason: "It is over." } })
        const again =
          how === "suspend"
            ? yield* suspend
            : yield* operate("POST", `/operator/v1/tenants/${tenant}/settings`, { body: { payouts_enabled: false } })
        assert.deepStrictEqual([again.status, again.body.status], [200, "SUSPENDED"])
        assert.deepStrictEqual(codeOf(yield* approve(end, bob)), [409, "state_conflict"])
        assert.strictEqual((yield* operate("GET", `/operator/v1/tenants/${tenant}`)).body.status, "SUSPENDED")
      })
    )

  it.effect("keeps a setting low that others were about to put back", () =>
    Effect.gen(function* () {
      const { approve, bob, halfApproved, operate, rejectOpen, tenant } = yield* setUp
      const off = operate("POST", `/operator/v1/tenants/${tenant}/settings`, { body: { payouts_enabled: false } })
      assert.strictEqual((yield* off).status, 200)
      yield* rejectOpen(tenant)
      const back = yield* halfApproved({ kind: "policy", values: policy })
      assert.strictEqual((yield* off).status, 200)
      assert.deepStrictEqual(codeOf(yield* approve(back, bob)), [409, "state_conflict"])
    })
  )

  for (const [network, second] of [
    ["tron", "Another theft."],
    ["ethereum", "A theft."]
  ] as const)
    it.effect(`keeps a network stopped that others were about to resume: ${second}`, () =>
      Effect.gen(function* () {
        const { approve, bob, halfApproved, operate, rejectOpen } = yield* setUp
        const stop = (reason: string) =>
          operate("POST", `/operator/v1/networks/${network}/stop-payouts`, { key: tokenOf("otto"), body: { reason } })
        assert.strictEqual((yield* stop("A theft.")).status, 200)
        yield* rejectOpen("fleet")
        const values = { network, stopped: false, reason: "It is over." }
        const resumption = yield* halfApproved({ kind: "network", values }, "fleet")
        const again = yield* stop(second)
        assert.deepStrictEqual([again.status, again.body.payouts_enabled], [200, false])
        assert.deepStrictEqual(codeOf(yield* approve(resumption, bob)), [409, "state_conflict"])
      })
    )
})
