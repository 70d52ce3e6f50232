import { moveOf } from "@bursar/core/engine/Machine"
import {
  isPending,
  transactionMachine,
  transactionPhases,
  type TransactionTrigger
} from "@bursar/core/transaction/TransactionMachine"
import { assert, describe, it } from "@effect/vitest"

/** From which phase each trigger leads where; what is not here cannot happen. */
const expected: Readonly<Record<TransactionTrigger, ReadonlyArray<string>>> = {
  reserved: ["null>RESERVED"],
  signed: ["RESERVED>SIGNED"],
  released: ["RESERVED>FINAL"],
  feeBumped: ["SIGNED>SIGNED", "BROADCAST>SIGNED"],
  sent: ["SIGNED>BROADCAST", "BROADCAST>BROADCAST", "INCLUDED>INCLUDED"],
  included: ["SIGNED>INCLUDED", "BROADCAST>INCLUDED", "INCLUDED>INCLUDED"],
  lost: ["INCLUDED>BROADCAST"],
  concluded: ["SIGNED>FINAL", "BROADCAST>FINAL", "INCLUDED>FINAL"]
}

describe("the life of an outbound transaction", () => {
  it("has these moves and no others", () => {
    for (const trigger of transactionMachine.triggers) {
      const moves = [null, ...transactionPhases].flatMap((from) => {
        const move = moveOf(transactionMachine, from, trigger)
        return move === undefined ? [] : [`${from}>${move.to}`]
      })
      assert.deepStrictEqual(moves, expected[trigger], trigger)
    }
  })

  it("leaves nothing behind once it is final, and ends unsigned only where nothing was signed", () => {
    assert.isFalse(transactionMachine.moves.some(({ from }) => from === "FINAL"))
    assert.deepStrictEqual(
      transactionMachine.moves
        .filter(({ to, trigger }) => to === "FINAL" && trigger !== "concluded")
        .map(({ from }) => from),
      ["RESERVED"]
    )
  })

  it("takes from its account what the chain does not show, until it is in a block", () => {
    assert.deepStrictEqual(transactionPhases.filter(isPending), ["RESERVED", "SIGNED", "BROADCAST"])
  })
})
