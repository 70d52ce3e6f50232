import { GrantProposal } from "@bursar/core/grant/Grant"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { layerGranted, setUp } from "./support/grants.ts"
import { Operator } from "./support/Operator.ts"
import { stored } from "./support/stored.ts"

const suspending = (reason: string) =>
  Effect.gen(function* () {
    const { as, propose, state, tenant } = yield* setUp
    const { operate } = yield* Operator
    const suspended = yield* operate("POST", `/operator/v1/tenants/${tenant}/suspend`, { body: { reason } })
    assert.strictEqual(suspended.status, 200, suspended.text)
    const open = [...stored(state, tenant, GrantProposal).values()].find((one) => one.state === "OPEN")
    const activated = yield* operate("POST", `/operator/v1/tenants/${tenant}/activate`, { body: { reason } })
    return { activated, as, open, propose, tenant }
  })

for (const reason of ["Ticket 12.", "x".repeat(400), " padded "])
  it.live(`what activating a tenant asks for can be proposed: ${reason.slice(0, 20)}`, () =>
    Effect.gen(function* () {
      const { activated, as, open, propose, tenant } = yield* suspending(reason)
      const { code, detail } = activated.body.error
      assert.strictEqual(code, "grant_required")
      assert.include(open?.document, reason)
      yield* as("otto", "POST", `/chains/${tenant}/proposals/${open?.id}/reject`, { reason: "It is over." })
      const proposed = yield* propose({ kind: detail.kind, values: detail.values })
      assert.strictEqual(proposed.status, 201, proposed.text)
    }).pipe(Effect.provide(layerGranted))
  )

for (const [what, reason] of [
  ["a line break", "Ticket\n12"],
  ["a sign that turns the direction of writing", "a\u202Eb"],
  ["a sign that nobody sees", "a\u200Bb"]
] as const)
  it.live(
    `a reason that no grant can say is refused where a tenant is activated, and keeps nobody from suspending: ${what}`,
    () =>
      Effect.gen(function* () {
        const { activated, open } = yield* suspending(reason)
        assert.deepStrictEqual([activated.status, activated.body.error.code], [422, "invalid_request"])
        assert.strictEqual(activated.body.error.fields[0].path, "body.reason")
        assert.include(open?.document, "Suspended by ")
      }).pipe(Effect.provide(layerGranted))
  )
