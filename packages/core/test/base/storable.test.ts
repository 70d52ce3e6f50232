import { shortened } from "@bursar/core/base/shortened"
import { idLengthMax, isStorable, isStorableId, storable, whereStorable } from "@bursar/core/base/storable"
import { unstorableText } from "@bursar/core/base/unstorableText"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"

/** Texts of which many hold a NUL or half of a pair. */
const anyText = fc.string({
  unit: fc.oneof(fc.string({ unit: "binary", maxLength: 1 }), fc.constantFrom("\u0000", "\ud83d", "\ude00", "😀", "a"))
})

describe("a text that others wrote", () => {
  it("can be stored once what cannot be is replaced, and keeps all else", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const stored = storable(text)
        assert.isTrue(isStorable(stored))
        assert.strictEqual(stored, text.toWellFormed().replaceAll("\u0000", "\uFFFD"))
        if (isStorable(text)) assert.strictEqual(stored, text)
      })
    )
    assert.strictEqual(storable("a\u0000b\ud83dc\ude00😀"), "a\uFFFDb\uFFFDc\uFFFD😀")
  })

  it("is cut between its characters, and says that it goes on", () => {
    assert.strictEqual(shortened(`${"x".repeat(299)}😀😀`, 300), `${"x".repeat(299)}…`)
    assert.strictEqual(shortened(`${"x".repeat(298)}😀😀`, 300), `${"x".repeat(298)}😀…`)
    assert.strictEqual(shortened("\u0000😀", 3), "\uFFFD😀")
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 20 }), (text, charsMax) => {
        const short = shortened(text, charsMax)
        assert.isTrue(isStorable(short))
        assert.isAtMost(short.length, charsMax + 1)
        assert.strictEqual(short.endsWith("…"), text.length > charsMax || storable(text).endsWith("…"))
      })
    )
  })
})

describe("an id that others gave", () => {
  it("can be stored as it is, and found by, where it is not too long for an index", () => {
    const longest = "x".repeat(idLengthMax)
    for (const one of ["", "a", longest]) assert.deepStrictEqual([isStorableId(one), whereStorable(one)], [true, one])
    for (const one of [`${longest}x`, "a\u0000", "\ud83d"])
      assert.deepStrictEqual([isStorableId(one), whereStorable(one)], [false, null])
  })
})

describe("unstorableText", () => {
  it("finds a NUL and half a surrogate pair, and says where", () => {
    assert.deepStrictEqual(unstorableText({ a: [{ b: "x\u0000" }] }, "body"), {
      path: "body.a.0.b",
      message: "A text holds a NUL character."
    })
    assert.deepStrictEqual(unstorableText({ a: "\ud83d" }, "body"), {
      path: "body.a",
      message: "A text holds half a surrogate pair."
    })
    assert.strictEqual(unstorableText({ "a\u0000": 1 }, "body")?.path, "body")
    const anyTextAt = /^body\.a\.\d+\.b$/u
    assert.isUndefined(unstorableText({ a: [{ b: "x\u0000" }] }, "body", anyTextAt))
    assert.strictEqual(unstorableText({ a: [{ c: "x\u0000" }] }, "body", anyTextAt)?.path, "body.a.0.c")
    assert.strictEqual(unstorableText({ a: [{ b: "\ud83d\u0000" }] }, "body", anyTextAt)?.path, "body.a.0.b")
    assert.isUndefined(unstorableText({ a: "\ud83d\ude00", b: null, c: [1, true, 2n] }, "body"))
  })
})
