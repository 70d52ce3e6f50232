import { parseKey, shownPrefix } from "@bursar/core/access/KeyFormat"
import { type GrantDocument, grantText, readGrant } from "@bursar/core/grant/GrantDocument"
import { format, parse } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { parseDecimal } from "@bursar/core/money/Rate"
import { huntTest } from "@bursar/testkit/hunt/huntTest"
import { assert, describe } from "@effect/vitest"
import { Result } from "effect"

const dollars = defaultCurrencies.byCode("USDT_ETH") ?? assert.fail("the currency is there")

const grant: GrantDocument = {
  version: "bursar.grant.v1",
  tenant: "019845e1-682f-4b02-a706-3b2422d13aec",
  number: "1",
  previous: "00".repeat(32),
  fleet: { number: "0", hash: "11".repeat(32) },
  kind: "adjustment",
  subject: "a1",
  values: { id: "a1", currency: "EUR", units: "-1250", against: "bank", reason: "rent" },
  note: "",
  proposed_by: "olga",
  proposed_at: "2026-11-23T09:00:00.000Z",
  expires_at: "2026-11-24T09:00:00.000Z"
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8")
const decimals = ["1", "0.000001", "1.5", "123456789.123456", "100.00", "-1", "1e3", "01", "+1", ".5", "1.", "0.0"]

/** A decimal text without needless zeros behind its point. */
const shortest = (text: string): string => (text.includes(".") ? text.replace(/\.?0+$/u, "") : text)

describe("what strangers send to the core, by many inputs that go where code has not been", () => {
  huntTest("an amount is what was written, or is refused", {
    seeds: decimals,
    read: (bytes) => {
      const text = textOf(bytes)
      const read = parse(text, dollars)
      if (Result.isFailure(read)) return
      const { units } = read.success
      assert.isTrue(units > 0n)
      assert.strictEqual(format(units, dollars.decimals), shortest(text))
    }
  })

  huntTest("a price is what was written, or is none", {
    seeds: decimals,
    read: (bytes) => {
      const text = textOf(bytes)
      const read = parseDecimal(text)
      if (read === undefined) return
      assert.strictEqual(format(read.units, read.decimals), shortest(text))
    }
  })

  huntTest("an API key has the parts that it shows, or is none", {
    seeds: ["bursar_live_Ab3dEf9h_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg0abcde"],
    words: ["_live_", "_test_", "bursar"],
    read: (bytes) => {
      const text = textOf(bytes)
      const parts = parseKey(text)
      if (parts !== undefined) assert.isTrue(text.startsWith(`${shownPrefix(parts)}_`))
    }
  })

  huntTest("a grant reads as what writes it again, or is refused with a reason", {
    seeds: [grantText(grant)],
    words: [
      "null",
      "true",
      '"kind":"policy"',
      '"kind":"destination"',
      '"number":"0"',
      "\\u0000",
      '"__proto__":{}',
      "1e400"
    ],
    lengthMax: 20_000,
    read: (bytes) => {
      const text = textOf(bytes)
      const read = readGrant(text)
      if (Result.isSuccess(read)) assert.strictEqual(grantText(read.success), text)
      else assert.notStrictEqual(read.failure.message, "")
    }
  })
})
