import * as Token from "@bursar/network-kit/Token"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"

const address = fc.stringMatching(/^[0-9a-f]{40}$/u)
const units = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })

describe("the calls and events of tokens", () => {
  it("reads back the transfer that it has written, whatever stands before the address", () => {
    fc.assert(
      fc.property(address, units, fc.constantFrom("", "0x", "41"), (to, amount, prefix) => {
        assert.deepStrictEqual(Token.readTransferCall(Token.transferCall(prefix + to, amount)), { to, units: amount })
      })
    )
  })

  it("reads no call that is not exactly one transfer", () => {
    const good = Token.transferCall("5a".repeat(20), 7n)
    const wrong = [
      "",
      good.slice(1),
      `${good}00`,
      `0x${good}`,
      Token.balanceOfCall("5a".repeat(20)),
      good.replace("0".repeat(24), `${"0".repeat(23)}1`)
    ]
    for (const data of wrong) assert.isUndefined(Token.readTransferCall(data), data)
  })

  it("reads the log of a transfer with and without prefixes, and a mint as from nobody", () => {
    fc.assert(
      fc.property(address, address, units, fc.constantFrom("", "0x"), (from, to, amount, prefix) => {
        const word = (hex: string) => prefix + hex.padStart(64, "0")
        const log = { topics: [prefix + Token.transferTopic, word(from), word(to)], data: word(amount.toString(16)) }
        const sender = /^0+$/u.test(from) ? null : from
        assert.deepStrictEqual(Token.readTransferLog(log), { from: sender, to, units: amount })
        assert.isUndefined(Token.readTransferLog({ ...log, topics: [...log.topics, word("1")] }))
        assert.isUndefined(Token.readTransferLog({ ...log, data: log.data.slice(0, -1) }))
        assert.isUndefined(Token.readTransferLog({ ...log, topics: [word("1"), word(from), word(to)] }))
      })
    )
    const topics = [Token.transferTopic, "0".repeat(64), "5a".repeat(20).padStart(64, "0")]
    assert.isNull(Token.readTransferLog({ topics, data: "1".padStart(64, "0") })?.from)
  })
})
