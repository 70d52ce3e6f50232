import { repeatsName } from "@bursar/core/base/repeatsName"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"

const repeats = (text: string) => repeatsName(text, JSON.parse(text))

describe("an object that names a field twice", () => {
  it("is told wherever it stands and however the name is written", () => {
    for (const text of [
      '{"a":1,"a":2}',
      '{"a":1,"b":{"a":1},"a":1}',
      '[{"x":[{"a":"b:c","\\u0061":1}]}]',
      '{"":0,"":0}',
      '{"a\\"":1,"a\\u0022":2}',
      '{"__proto__":1,"__proto__":2}',
      ' { "a" : 1 , "a" : 1 } '
    ])
      assert.isTrue(repeats(text), text)
  })

  it("is none where the same name stands in other objects, or in texts", () => {
    for (const text of [
      '{"amount":{"amount":"1","currency":"EUR"}}',
      '[{"a":1},{"a":1}]',
      '{"a":"a\\":1,\\"a\\":2"}',
      '{"a\\\\":1,"a":2}',
      '{"a":":","b":"::"}',
      '{"__proto__":1,"toString":2}',
      '"a:b"',
      "7",
      "{}"
    ])
      assert.isFalse(repeats(text), text)
  })

  it("is no object that was written from a value, and any with one more of its names", () => {
    fc.assert(
      fc.property(fc.json(), fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), (text, object) => {
        assert.isFalse(repeats(text))
        const [name = ""] = Object.keys(object)
        const twice = `${JSON.stringify(object).slice(0, -1)},${JSON.stringify(name)}:${text}}`
        assert.isFalse(repeats(JSON.stringify(object)))
        assert.isTrue(repeats(twice), twice)
      })
    )
  })

  it("is found below any depth", () => {
    const nested = (inner: string) => `${"[".repeat(9_000)}${inner}${"]".repeat(9_000)}`
    assert.isTrue(repeats(nested('{"a":1,"a":1}')))
    assert.isFalse(repeats(nested('{"a":1,"b":1}')))
  })
})
