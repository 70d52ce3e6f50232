import {
  type DepositEffect,
  depositMachine,
  type DepositStatus,
  type DepositTrigger
} from "@bursar/core/deposit/DepositMachine"
import { drawMermaid, moveOf } from "@bursar/core/engine/Machine"
import { assert, describe, it } from "@effect/vitest"

/** Every pair of a state and a trigger, and where it leads: what is not here must have no move. */
const expected = new Map<string, readonly [DepositStatus, ReadonlyArray<DepositEffect>]>([
  ["null arrived", ["DETECTED", []]],
  ["DETECTED mined", ["DETECTED", []]],
  ["DETECTED confirmed", ["CONFIRMED", ["credit"]]],
  ["DETECTED reorged", ["REORGED", []]],
  ["CONFIRMED reorged", ["REORGED", ["reverse"]]],
  ["REORGED arrived", ["DETECTED", []]]
])

const pairs = [null, ...depositMachine.states].flatMap((from) =>
  depositMachine.triggers.map((trigger): readonly [DepositStatus | null, DepositTrigger] => [from, trigger])
)

describe("depositMachine", () => {
  it.each(pairs)("from %s, %s", (from, trigger) => {
    const move = moveOf(depositMachine, from, trigger)
    const [to, effects] = expected.get(`${from} ${trigger}`) ?? []
    assert.deepStrictEqual([move?.to, move?.effects], [to, effects])
  })

  it("has no move twice, and none beside those between its states", () => {
    const keys = depositMachine.moves.map(({ from, trigger }) => `${from} ${trigger}`)
    assert.sameMembers(keys, [...expected.keys()])
    assert.strictEqual(new Set(keys).size, keys.length)
  })

  it("takes back every credit before it gives another", () => {
    // every way of six moves: credits and reversals alternate
    const walk = (from: DepositStatus | null, credited: boolean, left: number): void => {
      if (left === 0) return
      for (const move of depositMachine.moves.filter((each) => each.from === from)) {
        if (move.effects.includes("credit")) assert.isFalse(credited)
        if (move.effects.includes("reverse")) assert.isTrue(credited)
        walk(move.to, move.effects.includes("credit") || (credited && !move.effects.includes("reverse")), left - 1)
      }
    }
    walk(null, false, 6)
  })

  it("draws every move", () => {
    const drawing = drawMermaid(depositMachine)
    assert.include(drawing, "[*] --> DETECTED: arrived")
    assert.include(drawing, "CONFIRMED --> REORGED: reorged / reverse")
    assert.strictEqual(drawing.split("\n").length, 1 + depositMachine.moves.length)
  })
})
