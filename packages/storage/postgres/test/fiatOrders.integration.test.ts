import { BookedIncoming, incomingKey } from "@bursar/core/account/FiatAccount"
import { claimReads, ownAnswer } from "@bursar/core/custody/claimOrder"
import { putRecord } from "@bursar/core/engine/Records"
import { Operation, type OperationStatus } from "@bursar/core/operation/Operation"
import { done } from "@bursar/core/port/ProviderResult"
import { Queries } from "@bursar/core/store/Queries"
import { looking, writing } from "@bursar/testkit/fixtures/commands"
import { bareOperation } from "@bursar/testkit/fixtures/records"
import { commitAt, newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { fiatOrders } from "../src/migrations/fiatOrders.ts"
import { client } from "./client.ts"
import { migratedDatabase } from "./database.ts"

const { ports, url } = await migratedDatabase()

const made = Effect.fnUntraced(function* (
  more: Pick<Operation, "kind" | "status" | "providerReference" | "createdAt">,
  tenantId?: Operation["tenantId"]
) {
  const operation = bareOperation(
    { newId: () => crypto.randomUUID(), now: past, tenant: yield* newTenant() },
    { provider: "fake", ...more, ...(tenantId !== undefined && { tenantId }) }
  )
  yield* commitAt(
    operation.tenantId,
    past,
    writing(() => [putRecord(Operation, operation)])
  )
  return operation
})

const upgrade = Effect.gen(function* () {
  const sql = yield* client(url)
  yield* Effect.forEach(fiatOrders.statements(sql), (statement) => statement, { discard: true })
})

const answers = (operation: Operation, reference: string) => {
  const told = done({ providerReference: reference })
  const look = looking(claimReads(operation, told), (view) => ownAnswer(view, operation, told)._tag)
  return Effect.map(commitAt(operation.tenantId, past, look), ([tag]) => tag)
}

const contradictionOf = Effect.fnUntraced(function* ({ id, tenantId }: Operation) {
  return (yield* (yield* Queries).operation(tenantId, id))?.details.contradiction?.said
})

describe("what the fiat provider had moved before its orders were one operation's only", () => {
  layer(ports(), { excludeTestServices: true })((it) => {
    for (const [first, second, owner] of [
      ["PROCESSING", "SETTLED", 1],
      ["FAILED", "RETURNED", 1],
      ["PROCESSING", "FAILED", 1],
      ["PROCESSING", "PROCESSING", 0],
      ["SETTLED", "SETTLED", 0]
    ] as const satisfies ReadonlyArray<readonly [OperationStatus, OperationStatus, 0 | 1]>)
      for (const isOneTenant of [false, true])
        it.effect(`answers one: of ${first} and ${second} ${isOneTenant ? "of a tenant" : "of two"}`, () =>
          Effect.gen(function* () {
            const providerReference = crypto.randomUUID()
            const one = yield* made({ kind: "ON_RAMP", status: first, providerReference, createdAt: past })
            const two = yield* made(
              { kind: "ON_RAMP", status: second, providerReference, createdAt: past + 1 },
              isOneTenant ? one.tenantId : undefined
            )
            yield* upgrade
            const both = [yield* answers(one, providerReference), yield* answers(two, providerReference)]
            assert.deepStrictEqual(both, owner === 0 ? ["Done", "Unknown"] : ["Unknown", "Done"])
            const noted = [yield* contradictionOf(one), yield* contradictionOf(two)]
            const isTwice = first === "SETTLED"
            const said = `the order ${providerReference} belongs to operation ${one.id}`
            assert.deepStrictEqual(noted, [undefined, isTwice ? said : undefined])
          }).pipe(Effect.scoped)
        )

    it.effect("a payment on an account is the first's that booked it, and the other's is contradicted", () =>
      Effect.gen(function* () {
        const key = incomingKey("cust/va", crypto.randomUUID())
        const both = [
          yield* made({ kind: "ADJUSTMENT", status: "SETTLED", providerReference: "dep", createdAt: past }),
          yield* made({ kind: "ADJUSTMENT", status: "SETTLED", providerReference: "dep", createdAt: past + 1 })
        ]
        for (const { id, tenantId } of both)
          yield* commitAt(
            tenantId,
            past,
            writing(() => [putRecord(BookedIncoming, { key, operationId: id })])
          )
        yield* upgrade
        assert.deepStrictEqual(yield* Effect.forEach(both, (one) => answers(one, key)), ["Done", "Unknown"])
        assert.deepStrictEqual(yield* Effect.forEach(both, contradictionOf), [
          undefined,
          `the order ${key} belongs to operation ${both[0]?.id}`
        ])
      }).pipe(Effect.scoped)
    )
  })
})
