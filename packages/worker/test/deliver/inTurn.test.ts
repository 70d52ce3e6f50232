import type { Event } from "@bursar/core/event/Event"
import { assert, describe, it } from "@effect/vitest"
import { inTurn } from "../../src/deliver/inTurn.ts"

const eventOf = (id: number, resourceId = `resource ${id}`): Event => ({
  id,
  kind: "deposit.confirmed",
  resourceId,
  occurredAt: 0,
  data: {}
})

const retryOf = (id: number, resourceId?: string) => ({ event: eventOf(id, resourceId), attempt: 2 })

const order = (work: Parameters<typeof inTurn>[0], begins: "fresh" | "retry" = "fresh") =>
  inTurn(work, begins).map(({ attempt, event, fresh }) => [event.id, attempt, fresh])

describe("the order of what is to be sent", () => {
  it("is one of either sort in turn, each in its own order", () => {
    assert.deepStrictEqual(order({ fresh: [8, 9].map((id) => eventOf(id)), due: [3, 1, 2].map((id) => retryOf(id)) }), [
      [8, 1, true],
      [3, 2, false],
      [9, 1, true],
      [1, 2, false],
      [2, 2, false]
    ])
  })

  it("begins with the retry where that is asked for", () => {
    const work = { fresh: [eventOf(8), eventOf(9)], due: [retryOf(3)] }
    assert.deepStrictEqual(
      order(work, "retry").map(([id]) => id),
      [3, 8, 9]
    )
  })

  it("brings a retry forward that would come after a later event of its resource: a deposit is confirmed before it is reorged", () => {
    const work = {
      fresh: [eventOf(7), eventOf(8, "deposit"), eventOf(9)],
      due: [retryOf(1), retryOf(6, "deposit"), retryOf(2), retryOf(5, "deposit")]
    }
    assert.deepStrictEqual(
      order(work).map(([id]) => id),
      [7, 1, 5, 6, 8, 9, 2]
    )
  })

  it("keeps first attempts in the order of their ids, whatever is sent again: the endpoint is moved past them so", () => {
    const work = {
      fresh: [eventOf(1, "deposit"), eventOf(2), eventOf(3, "deposit")],
      due: [retryOf(2, "deposit"), retryOf(3, "deposit")]
    }
    const fresh = inTurn(work, "fresh").filter((one) => one.fresh)
    assert.deepStrictEqual(
      fresh.map(({ event }) => event.id),
      [1, 2, 3]
    )
  })
})
