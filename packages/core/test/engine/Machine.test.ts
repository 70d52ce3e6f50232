import { drawMermaid, type Machine, moveOf } from "@bursar/core/engine/Machine"
import { assert, describe, it } from "@effect/vitest"

const lamp: Machine<"OFF" | "ON", "make" | "press", "click"> = {
  name: "lamp",
  states: ["OFF", "ON"],
  triggers: ["make", "press"],
  moves: [
    { from: null, trigger: "make", to: "OFF", effects: [] },
    { from: "OFF", trigger: "press", to: "ON", effects: ["click"] },
    { from: "ON", trigger: "press", to: "OFF", effects: ["click"] }
  ]
}

describe("a machine", () => {
  it("moves as its table says, and not otherwise", () => {
    assert.strictEqual(moveOf(lamp, null, "make")?.to, "OFF")
    assert.strictEqual(moveOf(lamp, "OFF", "press")?.to, "ON")
    assert.strictEqual(moveOf(lamp, "ON", "press")?.to, "OFF")
    assert.isUndefined(moveOf(lamp, "ON", "make"))
    assert.isUndefined(moveOf(lamp, null, "press"))
  })

  it("is drawn with the effects of its moves", () => {
    assert.strictEqual(
      drawMermaid(lamp),
      "stateDiagram-v2\n  [*] --> OFF: make\n  OFF --> ON: press / click\n  ON --> OFF: press / click"
    )
  })
})
