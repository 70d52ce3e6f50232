import { writeMemo } from "@bursar/core/port/MemoText"
import { readMemo } from "../../../src/internal/build/readMemo.ts"
import { muxed } from "@bursar/stellar/Address"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

const account = "GB3JDWCQJCWMJ3IILWIGDTQJJC5567PGVEVXSCVPEQOTDN64VJBDQBYX"

const read = (text: string, address = account) =>
  Result.match(readMemo(address, text), { onSuccess: (memo) => memo, onFailure: () => "refused" as const })

describe("the memo of a destination", () => {
  it("is a text unless it says otherwise, and the id 1 is not the text 1", () => {
    assert.deepStrictEqual(read("1"), { type: "text", value: "1" })
    assert.deepStrictEqual(read("id:1"), { type: "id", value: "1" })
    assert.deepStrictEqual(read("text:id:1"), { type: "text", value: "id:1" })
    assert.deepStrictEqual(read(`hash:${"ab".repeat(32)}`), { type: "hash", value: "ab".repeat(32) })
    assert.deepStrictEqual(read(`return:${"01".repeat(32)}`), { type: "return", value: "01".repeat(32) })
  })

  it("is counted in bytes, and ids in bits", () => {
    assert.deepStrictEqual(read("x".repeat(28)), { type: "text", value: "x".repeat(28) })
    for (const wrong of ["", "x".repeat(29), "ü".repeat(15), "id:", "id:-1", "id:01", "id:1.0", `id:${2n ** 64n}`]) {
      assert.strictEqual(read(wrong), "refused", wrong)
    }
    for (const wrong of ["hash:ab", `hash:${"AB".repeat(32)}`, `return:${"ab".repeat(33)}`]) {
      assert.strictEqual(read(wrong), "refused", wrong)
    }
    assert.deepStrictEqual(read(`id:${2n ** 64n - 1n}`), { type: "id", value: (2n ** 64n - 1n).toString() })
  })

  it("has no place beside a muxed address, which names the receiver itself", () => {
    for (const text of ["1", "id:1", "text:1"]) assert.strictEqual(read(text, muxed(account, 1n)), "refused")
  })

  it("is written as it is read, and as briefly as that can be", () => {
    assert.strictEqual(writeMemo({ type: "text", value: "1" }), "1")
    for (const text of ["1", "id:1", "text:id:2", "text:text:", `hash:${"ab".repeat(32)}`, "a:b", "text:id:\n"]) {
      const memo = read(text)
      if (typeof memo === "string") return assert.fail(text)
      assert.strictEqual(writeMemo(memo), text)
    }
    return undefined
  })
})
