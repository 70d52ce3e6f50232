import { isPut } from "@bursar/core/engine/Records"
import { holdBack, sentToReview, wantsReview } from "@bursar/core/leaving/holdForReview"
import { notGranted, notSigned, overdrawn, uncovered } from "@bursar/core/leaving/rules"
import { Operation } from "@bursar/core/operation/Operation"
import { waitReasons } from "@bursar/core/operation/waits"
import { GrantChainBroken } from "@bursar/core/grant/verifyChain"
import { assert, describe, it } from "@effect/vitest"
import { operationOf, viewAt } from "../operation/world.ts"

const now = 9_000
const accepted = operationOf("SWAP", { status: "ACCEPTED", details: { asked: 1 } })
const revoked = { reason: "signing_key_revoked", detail: "The key was revoked." } as const

/** What becomes of an operation that may not leave: how it then stands, and when it is looked at again. */
const held = (operation: Operation, objection: Parameters<typeof holdBack>[2]) => {
  const changes = holdBack(viewAt(now), operation, objection, "queue")
  const due = changes.flatMap((change) => (change._tag === "Scheduled" ? [change] : []))
  return {
    after: changes.flatMap((change) => (isPut(Operation, change) ? [change.record] : [])).at(-1),
    due: due.map(({ dueAt, key, queue }) => [queue, key, dueAt])
  }
}

describe("an operation that may not leave", () => {
  it("goes before an operator where time does not mend what is wrong", () => {
    assert.deepStrictEqual(
      waitReasons.filter((reason) => wantsReview({ reason })),
      ["signing_key_revoked", "review_not_granted", "quote_overtaken"]
    )
    const { after, due } = held(accepted, revoked)
    assert.deepStrictEqual(after, {
      ...accepted,
      status: "IN_REVIEW",
      details: {
        asked: 1,
        review: { state: "PENDING", by: null, at: null, reason: revoked.detail },
        waits: { ...revoked, since: now }
      }
    })
    assert.deepStrictEqual(due, [["queue", "op-1", null]], "and has no job until somebody has decided")
    assert.strictEqual(sentToReview(viewAt(now), accepted, revoked, 5).details.waits?.since, 5)
  })

  it("is looked at again where time may mend it, or an operator looks at it already", () => {
    const off = { reason: "switched_off", detail: "Withdrawals are switched off." } as const
    for (const [operation, objection] of [
      [accepted, off],
      [operationOf("SWAP", { status: "IN_REVIEW", details: { asked: 1 } }), revoked]
    ] as const) {
      const { after, due } = held(operation, objection)
      assert.deepStrictEqual(after, {
        ...operation,
        details: { ...operation.details, waits: { ...objection, since: now } }
      })
      assert.deepStrictEqual(due, [["queue", "op-1", now + 1_000]])
    }
  })

  it("says what the grants, or the partner's signature, have against it", () => {
    const broken = new GrantChainBroken({
      tenantId: null,
      position: 2,
      code: "wrong_number",
      reason: "a grant is missing"
    })
    const objection = notGranted(viewAt(now), accepted, broken)
    assert.strictEqual(objection?.reason, "not_granted")
    assert.match(objection?.detail ?? "", /a grant is missing/u)
    assert.isUndefined(notGranted(viewAt(now), accepted, undefined))
    assert.deepStrictEqual(notSigned(accepted, { read: accepted, objection: "nobody has signed it" }), {
      reason: "not_granted",
      detail: "nobody has signed it"
    })
    assert.isUndefined(notSigned(accepted, { read: accepted, objection: undefined }))
    assert.isUndefined(notSigned(accepted, undefined))
  })
})

describe("what leaves", () => {
  const through = { name: "fake", environment: "LIVE" } as const
  const standing = (units: bigint, reserved = 0n) =>
    viewAt(now, {
      balance: (() => ({ units })) as never, // all of a balance that is looked at
      group: (() => [{ currency: "EUR", units: reserved }]) as never // all of a reservation
    })

  it("stands at its place beside what is in flight, its own reservation counted", () => {
    const covers = (units: bigint, reserved: bigint, own: boolean) =>
      uncovered(() => own)(standing(units, reserved), accepted, through) === undefined
    assert.deepStrictEqual(
      [covers(10_000n, 0n, false), covers(9_999n, 0n, false), covers(10_000n, 1n, false)],
      [true, false, false]
    )
    assert.deepStrictEqual([covers(10_000n, 10_000n, true), covers(10_000n, 10_001n, true)], [true, false])
    assert.isUndefined(uncovered(() => false)(standing(0n), operationOf("ON_RAMP"), through))
  })

  it("is nothing of a float that is below zero, and something of one that is spent to the end", () => {
    assert.isUndefined(overdrawn(standing(0n), accepted, through))
    assert.isDefined(overdrawn(standing(-1n), accepted, through))
  })
})
