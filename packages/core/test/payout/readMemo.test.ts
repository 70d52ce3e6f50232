import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { readMemo } from "@bursar/core/payout/readMemo"
import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

type Reading = Pick<NetworkAdapter, "readMemo" | "traits">

const codeOf = (network: Reading, text: string | null) =>
  Result.match(readMemo(network, "receiver", text), { onSuccess: (memo) => memo, onFailure: ({ code }) => code })

describe("the memo of a destination", () => {
  it("is refused on a network without memos, and none is always right", () => {
    for (const traits of presetNetworks.all) {
      assert.strictEqual(codeOf({ traits }, "1"), "memo_invalid")
      assert.isNull(codeOf({ traits }, null))
    }
  })

  it("is what the network reads in it, with the receiver in view", () => {
    const network: Reading = {
      traits: presetNetworks.of("stellar"),
      readMemo: (to, value) =>
        to === "receiver" && value !== "" ? Result.succeed({ type: "text", value }) : Result.fail("It is empty.")
    }
    assert.deepStrictEqual(codeOf(network, "1"), { type: "text", value: "1" })
    assert.strictEqual(codeOf(network, ""), "memo_invalid")
    assert.isNull(codeOf(network, null))
  })
})
