import { assert, describe, it } from "@effect/vitest"
import { muxed } from "../../../src/Address.ts"
import { partOf } from "../../../src/internal/build/partOf.ts"

const account = "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ"

describe("partOf", () => {
  it("is the muxed address whose number a memo says, in each way in which it can be said", () => {
    for (const id of [0n, 42n, 2n ** 64n - 1n])
      for (const memo of [`${id}`, `id:${id}`]) assert.strictEqual(partOf(account, memo), muxed(account, id), memo)
  })

  it("is none where the memo says no such number, or the address has its own", () => {
    for (const memo of [
      "",
      "text",
      "042",
      "-1",
      "4.2",
      "1e3",
      `${2n ** 64n}`,
      "text:42",
      "id:",
      `hash:${"0".repeat(64)}`
    ])
      assert.isUndefined(partOf(account, memo), memo)
    assert.isUndefined(partOf(muxed(account, 1n), "42"))
  })
})
