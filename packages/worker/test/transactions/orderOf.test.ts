import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { Queries } from "@bursar/core/store/Queries"
import { emptyState } from "@bursar/memory"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { orderOf } from "../../src/transactions/orderOf.ts"
import { fakeNetwork } from "../fakeNetwork.ts"
import { pay, payer, processOver, sending, tick } from "./world.ts"

describe("the order of a replacement", () => {
  const fake = fakeNetwork({ network: "bitcoin", paymentsMax: 2 })
  it.effect("insists on what an operator has asked for, and on nothing else", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { id } = yield* payer("bitcoin", fake)
      const made = yield* pay(id, "bitcoin", 1)
      yield* Effect.forkScoped(sending(fake))
      for (let n = 0; n < 6; n++) yield* tick
      const [transaction] = yield* (yield* Queries).records(id, OutboundTransaction)
      if (transaction === undefined) return assert.fail("nothing was reserved")
      const replacing = new Uint8Array([1])
      const insists = (more: Partial<OutboundTransaction>, old: Uint8Array | null = replacing) =>
        orderOf(fake.sender, { ...transaction, ...more }, 0, old).insists
      assert.isUndefined(insists({}))
      assert.isUndefined(insists({ asked: "REBROADCAST" }))
      assert.isTrue(insists({ asked: "BUMP" }))
      assert.isTrue(insists({ cancelled: [made.id] }))
      assert.isUndefined(insists({ asked: "BUMP" }, null), "the first replaces nothing")
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  )
})
