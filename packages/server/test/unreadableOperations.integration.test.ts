import { putRecord } from "@bursar/core/engine/Records"
import { Operation } from "@bursar/core/operation/Operation"
import { Queries } from "@bursar/core/store/Queries"
import { isReadable, type ListedOperation } from "@bursar/core/store/UnreadableOperation"
import type { State } from "@bursar/memory"
import { writing } from "@bursar/testkit/fixtures/commands"
import { bareOperation } from "@bursar/testkit/fixtures/records"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Operator } from "./support/Operator.ts"
import { portsOver } from "./support/Partner.ts"

/** As a storage tells of an operation of a kind that it does not know. */
const hide = (one: ListedOperation): ListedOperation => {
  if (!isReadable(one) || one.kind !== "SWAP") return one
  const { createdAt, id, status, tenantId } = one
  return { id, tenantId, kind: "=MOON()", status, createdAt, problem: "nobody knows it" }
}

/** Ports of a storage that can read no swap. */
const partly = (state: State) => {
  const ports = portsOver(state)
  const queries = Layer.effect(
    Queries,
    Effect.map(Queries, (all) =>
      Queries.of({
        ...all,
        listedOperations: (query) => Effect.map(all.listedOperations(query), (found) => found.map(hide))
      })
    )
  )
  return Layer.merge(ports, Layer.provide(queries, ports))
}

layer(Operator.layerWith({}, partly), { excludeTestServices: true })("an operation that cannot be read", (it) => {
  it.effect("is named beside the others in lists, page by page, and in files", () =>
    Effect.gen(function* () {
      const { operate, seeder } = yield* Operator
      const tenant = yield* seeder.tenant()
      const contradiction = { said: "it says that the order is settled", at: 1 }
      for (const kind of ["WITHDRAWAL", "SWAP", "WITHDRAWAL"] as const)
        yield* seeder.submit(
          tenant,
          writing((view) => [putRecord(Operation, bareOperation(view, { kind, details: { contradiction } }))])
        )
      const list = (cursor?: string) =>
        Effect.map(
          operate("GET", `/operator/v1/operations?limit=2${cursor === undefined ? "" : `&cursor=${cursor}`}`),
          ({ body }) => body
        )
      const first = yield* list()
      assert.deepStrictEqual([first.operations.length, first.unreadable.length], [1, 1], JSON.stringify(first))
      assert.deepInclude(first.unreadable[0], { tenant_id: tenant, kind: "=MOON()", problem: "nobody knows it" })
      const second = yield* list(first.next_cursor)
      assert.deepStrictEqual([second.operations.length, second.unreadable, second.next_cursor], [1, [], null])
      const { text } = yield* operate("GET", "/operator/v1/operations/export")
      const lines = text.trimEnd().split("\r\n")
      assert.lengthOf(lines, 1 + 3 + 1)
      assert.isTrue(lines.some((line) => line.includes(",'=MOON(),ACCEPTED,") && line.includes("nobody knows it")))
      assert.strictEqual(new Set(lines.slice(0, -1).map((line) => line.split(",").length)).size, 1)
      const metrics = yield* operate("GET", "/metrics")
      assert.match(metrics.text, /^bursar_operations_contradicted 3$/mu)
    })
  )
})
