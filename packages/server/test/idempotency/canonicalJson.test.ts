import { assert, describe, it } from "@effect/vitest"
import { canonicalJson, fingerprintOf } from "../../src/idempotency/canonicalJson.ts"
import { readKey } from "../../src/idempotency/idempotencyKey.ts"

describe("canonicalJson", () => {
  it("writes the example of RFC 8785, section 3.2.2", () => {
    const input = JSON.parse(
      '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}'
    )
    assert.strictEqual(
      canonicalJson(input),
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )
  })
})

describe("fingerprintOf", () => {
  it("does not depend on the order of keys", () => {
    assert.strictEqual(
      fingerprintOf("POST", "/v1/x", { a: 1, b: { c: 2, d: 3 } }),
      fingerprintOf("POST", "/v1/x", { b: { d: 3, c: 2 }, a: 1 })
    )
  })

  it("depends on method, path, and on every value", () => {
    const prints = [
      fingerprintOf("POST", "/v1/x", { a: 1 }),
      fingerprintOf("PUT", "/v1/x", { a: 1 }),
      fingerprintOf("POST", "/v1/y", { a: 1 }),
      fingerprintOf("POST", "/v1/x", { a: "1" }),
      fingerprintOf("POST", "/v1/x", { a: null }),
      fingerprintOf("POST", "/v1/x", {}),
      fingerprintOf("POST", "/v1/x", [1, 2]),
      fingerprintOf("POST", "/v1/x", [2, 1])
    ]
    assert.strictEqual(new Set(prints).size, prints.length)
  })
})

describe("readKey", () => {
  it("takes a key bare or quoted, of 1 to 255 of its characters", () => {
    assert.strictEqual(readKey("aZ9._~:-"), "aZ9._~:-")
    assert.strictEqual(readKey('"quoted"'), "quoted")
    for (const character of "x.") assert.strictEqual(readKey(character.repeat(255))?.length, 255)
    for (const text of ["...", ".a", "..a", "a.", "a..", ".-."]) assert.strictEqual(readKey(text), text)
  })

  it("refuses everything else", () => {
    for (const text of [
      "",
      '""',
      "x".repeat(256),
      ".".repeat(256),
      `.${"x".repeat(255)}`,
      ".",
      "..",
      '"."',
      '".."',
      "a b",
      "ä",
      'a"b',
      '"a',
      "a,b",
      "a/b",
      "a\nb"
    ])
      assert.isUndefined(readKey(text), text)
  })
})
