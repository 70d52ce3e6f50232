import { assert, describe, it } from "@effect/vitest"
import type { ReplayGuard } from "@bursar/core/port/ChainSender"
import { gapsOf } from "../src/handlers/operator/wallets/toWire.ts"

const openAt = (...numbers: ReadonlyArray<bigint>) =>
  numbers.map((sequence) => ({ guard: { _tag: "Sequence", account: "one", sequence } satisfies ReplayGuard }))

describe("the numbers of a wallet that nothing takes", () => {
  it("are those up to its next one, where all that is open was read", () => {
    assert.deepStrictEqual(gapsOf({ nextSequence: 9n }, 5n, { open: openAt(5n, 7n), whole: true }), ["6", "8"])
  })

  it("are none behind the last that was read, where more are open", () => {
    assert.deepStrictEqual(gapsOf({ nextSequence: 9n }, 5n, { open: openAt(5n, 7n), whole: false }), ["6"])
    assert.deepStrictEqual(gapsOf({ nextSequence: 9n }, 5n, { open: [], whole: false }), [])
  })
})
