import { GrantProposal } from "@bursar/core/grant/Grant"
import type { RecordDefinition } from "@bursar/core/engine/Records"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import type { State } from "@bursar/memory"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layerGrantedOver, setUp } from "./support/grants.ts"
import { Operator } from "./support/Operator.ts"
import { portsOver } from "./support/Partner.ts"

const odd = new Set<string>()

/** As PostgreSQL does where the row of a proposal of a tenant cannot be read. */
const withOdd = (state: State): ReturnType<typeof portsOver> => {
  const ports = portsOver(state)
  const queries = Layer.effect(
    Queries,
    Effect.map(Queries, (all) =>
      Queries.of({
        ...all,
        records: <A, K>(tenantId: TenantId, of: RecordDefinition<A, K>, group?: string) =>
          of.name === GrantProposal.name && odd.has(tenantId)
            ? Effect.die(new Error("the database gave object where text was expected"))
            : all.records(tenantId, of, group)
      })
    )
  )
  return Layer.merge(ports, Layer.provide(queries, ports))
}

it.live("a proposal that cannot be read takes the counts of no other tenant away, and waits itself", () =>
  Effect.gen(function* () {
    const { propose, tenant } = yield* setUp
    const { logged, operate } = yield* Operator
    yield* propose({ kind: "suspension", values: { suspended: true, reason: "Asked for." } })
    yield* propose({ kind: "network", values: { network: "tron", stopped: true, reason: "A reorg." } }, "fleet")
    odd.add(tenant)
    const { body, status, text } = yield* operate("GET", "/operator/v1/waiting")
    assert.strictEqual(status, 200, text)
    assert.strictEqual(body.fleet_grants, 1)
    assert.deepInclude(body.tenants[0], { tenant_id: tenant, grants: 1 })
    assert.isTrue(logged.some((line) => line.includes("grant.not_counted") && line.includes(tenant)))
  }).pipe(Effect.provide(layerGrantedOver(withOdd)))
)
