import { beginCustody } from "@bursar/core/custody/beginCustody"
import { claimOrder } from "@bursar/core/custody/claimOrder"
import { orderOwner } from "@bursar/core/custody/orderOwner"
import { ProviderOrder } from "@bursar/core/custody/ProviderOrder"
import type { View } from "@bursar/core/engine/View"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { done } from "@bursar/core/port/ProviderResult"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { recordWithdrawal } from "@bursar/core/withdrawal/recordWithdrawal"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { operationOf } from "../transfer/operationOf.ts"
import { store, submit, verified, withdraw, withdrawer } from "../withdrawal/world.ts"

const treasury = "0x00000000000000000000000000000000000000aa"

const sentBy = Effect.fnUntraced(function* (id: TenantId) {
  yield* verified(id, treasury)
  const made = yield* withdraw(id, 100_000_000n)
  if (typeof made === "string") return assert.fail(made)
  const task = yield* submit(id, beginCustody(made, { name: "fake", environment: "LIVE" }))
  return task._tag === "Send" ? task.operation : assert.fail(task._tag)
})

describe("one withdrawal at a custodian that the orders of two tenants look like", () => {
  it.effect("settles one of them only", () =>
    Effect.gen(function* () {
      const [a, b] = [yield* withdrawer(), yield* withdrawer()]
      const [first, second] = [yield* sentBy(a), yield* sentBy(b)]
      const settled = done({
        _tag: "Settled" as const,
        providerReference: "FTQcuak-V6Za8qrWnhzTx67yYHz8Tg",
        txHash: null,
        networkFee: null
      })
      const record = (id: TenantId, operation: typeof first) =>
        submit(
          id,
          recordWithdrawal({ operation, answer: settled, networkFeeBorneBy: "RECEIVER", currencies: defaultCurrencies })
        )
      yield* record(a, first)
      yield* record(b, second)
      const queries = yield* Queries
      const statuses = [
        (yield* queries.operation(a, first.id))?.status,
        (yield* queries.operation(b, second.id))?.status
      ]
      assert.deepStrictEqual(statuses, ["SETTLED", "PROCESSING"])
    }).pipe(Effect.provide(store))
  )

  it("which each of them had claimed, answers the one that all tenants know it by", () => {
    const [a, b] = [operationOf("BANK_TRANSFER"), operationOf("BANK_TRANSFER")]
    const told = done({ providerReference: "r" })
    const claims = [a, b].map((operation) => {
      const own = { provider: "fake", providerReference: "r", operationId: operation.id }
      // nothing else is asked of it
      const view = {
        get: (of: unknown) => (of === ProviderOrder ? own : undefined),
        fact: (of: unknown) => (of === orderOwner ? a.id : null)
      } as unknown as View
      return claimOrder(view, operation, told)
    })
    assert.deepStrictEqual(
      claims.map(({ answer, changes }) => [answer._tag, changes]),
      [
        ["Done", []],
        ["Unknown", []]
      ]
    )
  })
})
