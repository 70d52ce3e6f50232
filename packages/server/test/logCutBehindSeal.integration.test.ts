import { ApiKey } from "@bursar/core/access/ApiKey"
import { nextSeal } from "@bursar/core/audit/AuditSeal"
import type { State } from "@bursar/memory"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { layerGranted, setUp } from "./support/grants.ts"
import { Operator } from "./support/Operator.ts"
import { stored } from "./support/stored.ts"

/** Seals all of the log, as the signer does. */
const sealed = Effect.fnUntraced(function* (state: State) {
  const head = state.audit.at(-1)
  if (head === undefined) return assert.fail("nothing is written down")
  const seal = yield* nextSeal(undefined, head, { at: Date.now(), keyId: "k" })
  state.auditSeals.set(1, { ...seal, mac: "00".repeat(32) })
})

it.live(
  "a revoked key is not imported where the log was cut before the record of its revocation, which a seal covers",
  () =>
    Effect.gen(function* () {
      const { as, state, tenant } = yield* setUp
      const { operate, seeder } = yield* Operator
      const key = (yield* seeder.key(tenant)).split("_")[2] ?? ""
      const imported = Effect.map(as("otto", "GET", `/chains/${tenant}/import`), ({ body }) =>
        body.contents.map(({ values }: { readonly values: Record<string, string> }) => values["id"])
      )
      yield* operate("POST", "/operator/v1/tenants", { body: { slug: "other", name: "Other", kind: "LIVE" } })
      assert.include(yield* imported, key)
      const before = state.audit.length
      const row = stored(state, tenant, ApiKey).get(key)
      if (row === undefined) return assert.fail("the key is not there")
      assert.strictEqual((yield* operate("POST", `/operator/v1/tenants/${tenant}/keys/${key}/revoke`)).status, 200)
      yield* sealed(state)
      // whoever owns the schema puts the row back and cuts the log
      stored(state, tenant, ApiKey).set(key, row)
      state.audit.splice(before)
      assert.notInclude(yield* imported, key)
    }).pipe(Effect.provide(layerGranted))
)

for (const [how, change] of [
  ["was cut", (state: State) => void state.audit.splice(2)],
  ["was emptied", (state: State) => void state.audit.splice(0)]
] as const)
  it.live(`the log is not whole where it ${how} and a seal covers more`, () =>
    Effect.gen(function* () {
      const { state } = yield* setUp
      const { operate } = yield* Operator
      for (const slug of ["a", "b", "c"])
        yield* operate("POST", "/operator/v1/tenants", { body: { slug, name: "Other", kind: "LIVE" } })
      yield* sealed(state)
      const { length } = state.audit
      const whole = yield* operate("GET", "/operator/v1/audit/verify")
      assert.deepInclude(whole.body, { ok: true, records: length, sealed: length, first_wrong: null })
      const bySeals = Effect.map(operate("GET", "/operator/v1/check"), (checked) => {
        const { first_wrong: wrong } = checked.body.invariants.find(
          ({ invariant }: { readonly invariant: string }) => invariant === "audit-seals"
        )
        return { ok: checked.body.ok, wrong }
      })
      assert.deepStrictEqual(yield* bySeals, { ok: true, wrong: null })
      change(state)
      const cut = yield* bySeals
      assert.isFalse(cut.ok)
      assert.match(cut.wrong, /cut off|emptied/u)
      const { body } = yield* operate("GET", "/operator/v1/audit/verify")
      assert.isFalse(body.ok)
      assert.match(body.first_wrong, /cut off|emptied/u)
    }).pipe(Effect.provide(layerGranted))
  )
