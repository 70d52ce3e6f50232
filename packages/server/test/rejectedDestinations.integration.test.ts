import { Destination } from "@bursar/core/destination/Destination"
import { putRecord } from "@bursar/core/engine/Records"
import { of } from "@bursar/core/money/Amount"
import { Operation, type OperationStatus } from "@bursar/core/operation/Operation"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { writing } from "@bursar/testkit/fixtures/commands"
import { bareOperation } from "@bursar/testkit/fixtures/records"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { Operator } from "./support/Operator.ts"

const address = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94"

/** A destination that receives. */
const receiving = (id: string): Destination => ({
  id,
  currency: "USDT_ETH",
  network: "ethereum",
  address,
  memo: null,
  label: "Treasury",
  proposedBy: "alice",
  verifiedBy: "bob",
  verifiedAt: 1,
  usableFrom: 1,
  rejectedAt: null,
  rejectedReason: null,
  createdAt: 1
})

const withdrawals = (all: ReadonlyArray<readonly [status: OperationStatus, to: string]>) =>
  writing((view) =>
    all.map(([status, to]) =>
      putRecord(
        Operation,
        bareOperation(view, {
          kind: "WITHDRAWAL",
          status,
          amount: of(1n, "USDT_ETH"),
          network: "ethereum",
          details: { destination: { address: to, memo: null } }
        })
      )
    )
  )

it.live("whoever rejects a destination is told how much money waits to go there, before and after", () =>
  Effect.gen(function* () {
    const { operate, seeder } = yield* Operator
    const tenant: TenantId = yield* seeder.tenant()
    const id = crypto.randomUUID()
    yield* seeder.submit(
      tenant,
      writing(() => [putRecord(Destination, receiving(id))])
    )
    const path = `/operator/v1/tenants/${tenant}/destinations`
    const listed = Effect.map(operate("GET", path), ({ body }) =>
      body.destinations.map((one: { readonly withdrawals_waiting: number }) => one.withdrawals_waiting)
    )
    assert.deepStrictEqual(yield* listed, [0])
    yield* seeder.submit(
      tenant,
      withdrawals([
        ["ACCEPTED", address],
        ["IN_REVIEW", address],
        ["SENT", address],
        ["FAILED", address],
        ["ACCEPTED", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"]
      ])
    )
    assert.deepStrictEqual(yield* listed, [2])
    const { body } = yield* operate("POST", `${path}/${id}/reject`, { body: { reason: "It is stolen." } })
    assert.deepStrictEqual([body.state, body.withdrawals_waiting], ["REJECTED", 2])
  }).pipe(Effect.provide(Operator.layer))
)
