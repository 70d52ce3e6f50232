import { moveOf } from "@bursar/core/engine/Machine"
import { isSweepOver, sweepMachine, sweepStates, type SweepTrigger } from "@bursar/core/sweep/SweepMachine"
import { assert, describe, it } from "@effect/vitest"

/** From which state each trigger leads where; what is not here cannot happen. */
const expected: Readonly<Record<SweepTrigger, ReadonlyArray<string>>> = {
  opened: ["null>ELIGIBLE"],
  topup_signed: ["ELIGIBLE>TOPUP_SIGNED"],
  balance_read: ["TOPUP_SIGNED>TOPUP_CONFIRMED"],
  sweep_signed: ["ELIGIBLE>SWEEP_SIGNED", "TOPUP_CONFIRMED>SWEEP_SIGNED"],
  swept: ["SWEEP_SIGNED>SWEPT", "ABANDONED>SWEPT"],
  abandoned: ["ELIGIBLE>ABANDONED", "TOPUP_SIGNED>ABANDONED", "TOPUP_CONFIRMED>ABANDONED", "SWEEP_SIGNED>ABANDONED"]
}

describe("the life of a sweep", () => {
  it("has these moves and no others", () => {
    for (const trigger of sweepMachine.triggers) {
      const moves = [null, ...sweepStates].flatMap((from) => {
        const move = moveOf(sweepMachine, from, trigger)
        return move === undefined ? [] : [`${from}>${move.to}`]
      })
      assert.deepStrictEqual(moves, expected[trigger], trigger)
    }
  })

  it("is over where nothing leads on but its own bytes that take effect late, and nowhere else", () => {
    for (const state of sweepStates) {
      const next = sweepMachine.moves.filter(({ from, to }) => from === state && to !== "SWEPT")
      assert.strictEqual(isSweepOver(state), next.length === 0, state)
    }
  })

  it("rule 18: a top-up is confirmed by a balance that was read and by nothing else", () => {
    assert.deepStrictEqual(
      sweepMachine.moves.filter(({ to }) => to === "TOPUP_CONFIRMED").map(({ trigger }) => trigger),
      ["balance_read"]
    )
  })
})
