import type { AuditRecord } from "@bursar/core/audit/AuditRecord"
import { layerOver, type State } from "@bursar/memory"
import { adjust } from "@bursar/testkit/fixtures/commands"
import { commitAt, newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { layerGranted, setUp } from "./support/grants.ts"
import { Operator } from "./support/Operator.ts"

const changes: ReadonlyArray<readonly [what: string, change: Partial<AuditRecord>, wrong: string]> = [
  // what a column of JSON can hold
  ["cannot be read", { params: null as never }, "Record 1 cannot be read: it was changed."],
  ["says something else", { route: "/other" }, "Record 1 was changed: its hash is that of something else."]
]

const changeFirst = (state: State, change: Partial<AuditRecord>) => {
  const [first] = state.audit
  if (first === undefined) return assert.fail("nothing is written down")
  state.audit[0] = { ...first, ...change }
}

for (const [what, change, wrong] of changes)
  describe(`an audit log of which a record ${what}`, () => {
    it.live("proves the statement of no month, and is named", () =>
      Effect.gen(function* () {
        const { operate, state } = yield* Operator
        const august = Date.UTC(2025, 7, 10)
        const { id } = yield* Effect.provide(newTenant({ slug: "acme", createdAt: august }), layerOver(state))
        yield* Effect.provide(commitAt(id, august, adjust(100n, "EUR")), layerOver(state))
        yield* operate("POST", "/operator/v1/tenants", { body: { slug: "other", name: "Other", kind: "LIVE" } })
        const path = `/operator/v1/tenants/${id}/periods/2025-08`
        assert.strictEqual((yield* operate("POST", `${path}/close`)).status, 200)
        changeFirst(state, change)
        const { body } = yield* operate("GET", `${path}/verify`)
        assert.deepInclude(body, { ok: false, audited: true, problem: `The audit log proves nothing: ${wrong}` })
      }).pipe(Effect.provide(Operator.layer))
    )

    it.live("proves no snapshot of what is owed, and is named", () =>
      Effect.gen(function* () {
        const { operate, state } = yield* Operator
        yield* operate("POST", "/operator/v1/tenants", { body: { slug: "other", name: "Other", kind: "LIVE" } })
        const base = "/operator/v1/solvency/snapshots"
        const { body: taken, text } = yield* operate("POST", base, { body: {} })
        assert.isDefined(taken.snapshot, text)
        changeFirst(state, change)
        const { body } = yield* operate("GET", `${base}/${taken.snapshot.id}/verify`)
        const findings = [`The audit log proves nothing: ${wrong}`]
        assert.deepInclude(body, { ok: false, audited: true, findings })
      }).pipe(Effect.provide(Operator.layer))
    )

    it.live("lets no key be imported into a chain of grants: it may have been revoked", () =>
      Effect.gen(function* () {
        const { as, state, tenant } = yield* setUp
        const { operate, seeder } = yield* Operator
        const key = (yield* seeder.key(tenant)).split("_")[2] ?? ""
        const imported = Effect.map(as("otto", "GET", `/chains/${tenant}/import`), ({ body }) => ({
          ids: body.contents.map(({ values }: { readonly values: Record<string, string> }) => values["id"]),
          leftOut: body.left_out
        }))
        yield* operate("POST", "/operator/v1/tenants", { body: { slug: "other", name: "Other", kind: "LIVE" } })
        assert.include((yield* imported).ids, key)
        changeFirst(state, change)
        const { ids, leftOut } = yield* imported
        assert.notInclude(ids, key)
        const reason = `whether somebody has revoked it, the audit log cannot say: ${wrong}`
        assert.deepInclude(leftOut, { what: `api_key ${key}`, reason })
      }).pipe(Effect.provide(layerGranted))
    )
  })
