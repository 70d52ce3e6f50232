import { PartnerApi } from "@bursar/api/PartnerApi"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { isPut, putRecord } from "@bursar/core/engine/Records"
import type { Command } from "@bursar/core/engine/Command"
import { Grants } from "@bursar/core/grant/Grants"
import { GrantChainBroken } from "@bursar/core/grant/verifyChain"
import { of } from "@bursar/core/money/Amount"
import { Operation } from "@bursar/core/operation/Operation"
import { Queries } from "@bursar/core/store/Queries"
import { emptyState } from "@bursar/memory"
import { testRoot, testTrust } from "@bursar/testkit/fixtures/grants"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { makeIdempotent } from "../../src/idempotency/handleIdempotent.ts"
import * as InFlight from "../../src/idempotency/InFlight.ts"
import { portsOver } from "../support/Partner.ts"

/** Books what it says, as an operation that has money leave. */
const leaving: Command<Operation> = (() => {
  const adjusting = adjustFloat({ amount: of(5n, "ETH"), against: "custodian", reason: "test" })
  return {
    ...adjusting,
    decide: (view) =>
      Result.map(adjusting.decide(view), ({ changes, reply }) => ({
        reply,
        changes: changes.map((one) =>
          isPut(Operation, one) ? putRecord(Operation, { ...one.record, kind: "WITHDRAWAL" }) : one
        )
      }))
  }
})()

/** A chain of grants that does not hold. */
const broken = Effect.fail(new GrantChainBroken({ tenantId: null, position: 1, code: "cut", reason: "it was cut" }))
const ports = Layer.mergeAll(portsOver(emptyState()), InFlight.layer)
const ungranted = Layer.mock(Grants, { trust: testTrust(testRoot([], 1)), fleet: broken, stateOf: () => broken })

describe("a request that may have money leave", () => {
  for (const [what, prepared] of [
    ["there without running anything", Effect.succeed(leaving)],
    ["made when it is run", Effect.sync(() => leaving)]
  ] as const)
    it.effect(`is held against the grants where its command is ${what}`, () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const carryOut = yield* makeIdempotent()
        const refused = yield* Effect.flip(
          carryOut({
            endpoint: PartnerApi.groups.withdrawals.endpoints.create,
            tenantId: id,
            keyHeader: "key-1",
            payload: {},
            prepare: () => prepared,
            render: (operation) => ({ id: operation.id }),
            leaves: true
          })
        )
        assert.strictEqual(refused.error.code, "product_not_enabled")
        assert.isUndefined(yield* (yield* Queries).idempotencyRecord(id, "key-1"))
      }).pipe(Effect.provide(Layer.merge(ports, ungranted)))
    )
})
