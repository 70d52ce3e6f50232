import { Tenants } from "@bursar/core/port/Tenants"
import { TenantId } from "@bursar/core/tenant/Tenant"
import type { State } from "@bursar/memory"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Operator } from "./support/Operator.ts"
import { portsOver } from "./support/Partner.ts"

const broken = { id: TenantId("019845e1-682f-7b02-a706-3b2422d13aec"), problem: "its status is none" }

/** Ports of a storage in which the row of one tenant cannot be read. */
const partly = (state: State) => {
  const ports = portsOver(state)
  const tenants = Layer.effect(
    Tenants,
    Effect.map(Tenants, (all) => ({
      ...all,
      list: Effect.map(all.list, (found) => ({ ...found, unreadable: [broken] }))
    }))
  )
  return Layer.merge(ports, Layer.provide(tenants, ports))
}

layer(Operator.layerWith({}, partly), { excludeTestServices: true })("the list of tenants", (it) => {
  it.effect("names one whose row cannot be read, apart from the others", () =>
    Effect.gen(function* () {
      const { operate } = yield* Operator
      const body = { slug: "acme", name: "Acme", kind: "SANDBOX" }
      yield* operate("POST", "/operator/v1/tenants", { body })
      const answer = yield* operate("GET", "/operator/v1/tenants")
      assert.strictEqual(answer.status, 200)
      assert.deepInclude(answer.body, { unreadable: [broken] })
      assert.notInclude(JSON.stringify(answer.body.tenants), broken.id)
      assert.include(JSON.stringify(answer.body.tenants), "acme")
    })
  )
})
