import { assert, describe, it } from "@effect/vitest"
import { headerGives } from "../../../src/internal/read/headerHash.ts"
import { parseExactJson } from "../../../src/internal/rpc/exactJson.ts"

describe("parseExactJson", () => {
  it("keeps every digit of whole numbers, and numbers that are exact as they are", () => {
    assert.deepStrictEqual(
      parseExactJson('{"a":[9223372036854775807, 12],"b":"9223372036854775807","c":-9007199254740993}'),
      {
        a: [9_223_372_036_854_775_807n, 12],
        b: "9223372036854775807",
        c: -9_007_199_254_740_993n
      }
    )
    assert.strictEqual(parseExactJson("9007199254740991"), 9_007_199_254_740_991)
    assert.strictEqual(parseExactJson("1e30"), 1e30)
  })

  it("throws for what is no JSON", () => {
    assert.throws(() => parseExactJson("<html>"), SyntaxError)
    assert.throws(() => parseExactJson('{"a":9223372036854775807'), SyntaxError)
  })
})

describe("headerGives", () => {
  // Block 67674988 of the main network.
  const id = "000000000408a36cd32a8e674045e96f895b7708b85fa5141f3c8fd92eb497a8"
  const header = {
    number: 67_674_988,
    txTrieRoot: "08203d3094277ae2bfc9981bde29400a87ab5bc6b9aa807ce42d96a2de5ea109",
    witness_address: "417f5e5aca5332ce5e18414d7f85bb62097cefa453",
    parentHash: "000000000408a36b033d241520fd155cb0351a27bce043ddb7799ec2790ca1ee",
    version: 31,
    timestamp: 1_733_675_346_000
  }

  it("recognises a block of the main network", () => {
    assert.isTrue(headerGives(id, header))
  })

  it("sees that anything was changed", () => {
    for (const change of [
      { number: 67_674_989 },
      { timestamp: 1_733_675_346_001 },
      { txTrieRoot: "0".repeat(64) },
      { version: "31" },
      { witness_address: "nobody" },
      { accountStateRoot: "00" }
    ]) {
      assert.isFalse(headerGives(id, { ...header, ...change }), JSON.stringify(change))
    }
  })

  it("does not judge a header with a field that it does not know", () => {
    assert.isUndefined(headerGives(id, { ...header, shard: 1 }))
  })
})
