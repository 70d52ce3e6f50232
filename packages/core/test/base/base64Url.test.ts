import { fromBase64Url, toBase64Url } from "@bursar/core/base/base64Url"
import { fromHex } from "@bursar/core/base/hex"
import { sha256Hex, toHex } from "@bursar/core/base/sha256"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"

const bytes = fc.uint8Array({ maxLength: 40 })

describe("bytes as base64url", () => {
  it("are written as Node writes them, and read back", () => {
    fc.assert(
      fc.property(bytes, (some) => {
        const text = toBase64Url(some)
        assert.strictEqual(text, Buffer.from(some).toString("base64url"))
        assert.deepStrictEqual(fromBase64Url(text), Uint8Array.from(some))
      })
    )
  })

  it("have one text: whatever else is read as bytes is written as it was read", () => {
    const texts = fc.string({
      unit: fc.constantFrom("A", "B", "Q", "w", "z", "0", "9", "-", "_", "+", "/", "=", " ", "\n", "é"),
      maxLength: 9
    })
    fc.assert(
      fc.property(texts, (text) => {
        const read = fromBase64Url(text)
        if (read !== undefined) assert.strictEqual(Buffer.from(read).toString("base64url"), text)
      }),
      { numRuns: 1_000 }
    )
  })

  it.each(["A", "AAAAA", "AB", "AAB", "AA==", "AA=", "+/+/", "AA AA", " AAAA", "AAAA\n", "AAAAé"])(
    "are not %j",
    (text) => {
      assert.isUndefined(fromBase64Url(text))
    }
  )
})

describe("bytes as hexadecimal", () => {
  it("are two lower-case digits each, and read back", () => {
    fc.assert(
      fc.property(bytes, (some) => {
        assert.strictEqual(toHex(some), Buffer.from(some).toString("hex"))
        assert.deepStrictEqual(fromHex(toHex(some)), Uint8Array.from(some))
      })
    )
  })

  it("are none where there is no digit", () => {
    assert.deepStrictEqual(fromHex(""), new Uint8Array())
  })

  it.effect("are SHA-256 of the UTF-8 bytes of a text", () =>
    Effect.gen(function* () {
      // NIST's example, and a text of more than one byte a letter
      const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
      assert.strictEqual(yield* sha256Hex("abc"), abc)
      const euro = "c4cc90ed3d26f12d4b08a75140970a7904035c31cbb4515a83f19b9003c00d1d"
      assert.strictEqual(yield* sha256Hex("€"), euro)
    })
  )
})
