import { accountMachine } from "@bursar/core/account/AccountMachine"
import { moveOf } from "@bursar/core/engine/Machine"
import { isOver, operationMachine } from "@bursar/core/operation/OperationMachine"
import { assert, describe, it } from "@effect/vitest"

describe("the table of operations", () => {
  it("has one move at most for each status and trigger, and names only what it knows", () => {
    const seen = new Set<string>()
    for (const { from, to, trigger } of operationMachine.moves) {
      assert.isFalse(seen.has(`${from} ${trigger}`), `${from} ${trigger}`)
      seen.add(`${from} ${trigger}`)
      assert.include(operationMachine.states, to)
      assert.include(operationMachine.triggers, trigger)
    }
  })

  it("lets what is under way end in every way, whatever was seen of it before", () => {
    for (const from of operationMachine.states.filter((status) => !isOver(status))) {
      assert.deepStrictEqual(moveOf(operationMachine, from, "settled")?.effects, ["take"], from)
      assert.deepStrictEqual(moveOf(operationMachine, from, "failed")?.effects, ["release"], from)
      assert.deepStrictEqual(moveOf(operationMachine, from, "returned")?.effects, ["release"], from)
    }
  })

  it("never leaves FAILED and RETURNED, but for a part that settles out of suspense, and leaves SETTLED for a return alone, which may go on in parts", () => {
    const left = operationMachine.moves.filter(({ from }) => from !== null && isOver(from))
    assert.deepStrictEqual(left, [
      { from: "SETTLED", trigger: "returned", to: "RETURNED", effects: ["give_back"] },
      { from: "RETURNED", trigger: "settled", to: "SETTLED", effects: ["take"] },
      { from: "RETURNED", trigger: "returned", to: "RETURNED", effects: ["give_back"] }
    ])
  })

  it("does not lead from SENT or PROCESSING back to waiting for funds", () => {
    assert.isUndefined(moveOf(operationMachine, "SENT", "started"))
    assert.isUndefined(moveOf(operationMachine, "SENT", "funds_wanted"))
    assert.isUndefined(moveOf(operationMachine, "PROCESSING", "funds_wanted"))
    assert.isUndefined(moveOf(operationMachine, "IN_REVIEW", "funds_wanted"))
  })
})

describe("the table of accounts", () => {
  it("never leaves REJECTED and CLOSED", () => {
    assert.deepStrictEqual(
      accountMachine.moves.filter(({ from }) => from === "REJECTED" || from === "CLOSED"),
      []
    )
  })
})
