import { hunt } from "@bursar/testkit/hunt/hunt"
import { assert, describe, it } from "@effect/vitest"
import { brittle } from "./support/brittle.ts"

const options = { seed: 7, inputs: 200_000, scripts: /brittle\.ts/u }
const reader = { seeds: ["hello=1"], read: (bytes: Uint8Array) => brittle(Buffer.from(bytes).toString("latin1")) }

describe("a hunt", () => {
  it(
    "comes by a defect behind five branches, one at a time, and shortens what leads there",
    { timeout: 120_000 },
    () => {
      const { fault, kept } = hunt(reader, options)
      assert.strictEqual(Buffer.from(fault?.input ?? []).toString(), "ledger")
      assert.isAtLeast(kept, 4)
    }
  )

  it("comes by the same again from the same seed", () => {
    const short = { ...options, inputs: 2_000 }
    assert.deepStrictEqual(hunt(reader, short), hunt(reader, short))
  })

  it("ends without a defect where there is none", () => {
    const { fault, inputs } = hunt({ ...reader, read: () => undefined }, { ...options, inputs: 1_000 })
    assert.isUndefined(fault)
    assert.isAtLeast(inputs, 1_000)
  })
})
