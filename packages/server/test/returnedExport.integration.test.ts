import { putRecord } from "@bursar/core/engine/Records"
import { of } from "@bursar/core/money/Amount"
import { Operation } from "@bursar/core/operation/Operation"
import { layerOver } from "@bursar/memory"
import { writing } from "@bursar/testkit/fixtures/commands"
import { bareOperation, newIdAt } from "@bursar/testkit/fixtures/records"
import { commitAt } from "@bursar/testkit/fixtures/tenants"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { Operator } from "./support/Operator.ts"

it.live(
  "operators are shown as received what the partner is: what came back is no part of it, in lists, details and files",
  () =>
    Effect.gen(function* () {
      const { ask, operate, seeder, state } = yield* Operator
      const id = yield* seeder.tenant()
      const key = yield* seeder.key(id)
      const now = Date.now()
      for (const [returned, left] of [
        ["10000", "0"],
        ["2500", "75"]
      ] as const) {
        const operationId = newIdAt(now + Number(returned))
        const operation = bareOperation(
          { tenant: { id } as never, now, newId: () => operationId }, // of it the fixture reads the id alone
          {
            kind: "OFF_RAMP",
            status: "RETURNED",
            amount: of(10_000n, "EUR"),
            customerFee: of(0n, "EUR"),
            toAmount: of(10_000n, "EUR"),
            toAmountQuoted: of(10_000n, "EUR"),
            details: { returned },
            settledAt: now
          }
        )
        yield* Effect.provide(
          commitAt(
            id,
            now,
            writing(() => [putRecord(Operation, operation)])
          ),
          layerOver(state)
        )
        const ofOperation = (
          all: ReadonlyArray<{ readonly id: string; readonly to_amount: { readonly amount: string } }>
        ) => all.find((one) => one.id === operationId)?.to_amount.amount
        const register = yield* ask("GET", "/v1/register", { key })
        const list = yield* operate("GET", `/operator/v1/operations?tenant_id=${id}`)
        const detail = yield* operate("GET", `/operator/v1/tenants/${id}/operations/${operationId}`)
        const csv = yield* operate("GET", `/operator/v1/operations/export?tenant_id=${id}`)
        const [names = [], ...rows] = csv.text.split("\r\n").map((line) => line.split(","))
        const row = rows.find(([first]) => first === operationId)
        assert.deepStrictEqual(
          [
            ofOperation(register.body.entries),
            ofOperation(list.body.operations),
            detail.body.to_amount.amount,
            row?.[names.indexOf("received")]
          ],
          [left, left, left, left]
        )
      }
    }).pipe(Effect.provide(Operator.layer))
)
