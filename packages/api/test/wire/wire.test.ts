import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Money, MoneyIn } from "../../src/wire/Money.ts"
import { Timestamp } from "../../src/wire/Timestamp.ts"
import { Uuid } from "../../src/wire/Uuid.ts"

const isTimestamp = Schema.is(Timestamp)
const isMoney = Schema.is(Money)
const isMoneyIn = Schema.is(MoneyIn)

describe("an id", () => {
  const id = "019845e1-682f-7b02-a706-3b2422d13aec"
  it("is read in capitals, too, and is in lower case from there on", () => {
    for (const text of [id, id.toUpperCase(), id.replace("b", "B")])
      assert.strictEqual(Schema.decodeUnknownSync(Uuid)(text), id)
    assert.strictEqual(Schema.encodeSync(Uuid)(id), id)
  })
  it("is nothing but a UUID", () => {
    for (const text of ["", id.slice(1), `{${id}}`, `${id} `, id.replaceAll("-", "")])
      assert.isFalse(Schema.is(Uuid)(text), text)
  })
})

describe("a timestamp", () => {
  for (const text of [
    "2026-02-28T23:59:59Z",
    "2028-02-29T00:00:00.123456789Z",
    "2000-02-29T12:00:00+02:00",
    "2026-12-31T00:00:00.5-11:30",
    "0000-01-01T00:00:00Z",
    "0000-01-01T01:00:00+01:00",
    "9999-12-31T23:59:59.9999999Z",
    "9999-12-31T22:59:59.999999999-01:00"
  ]) {
    it(`may be ${text}`, () => assert.isTrue(isTimestamp(text)))
  }
  for (const text of [
    "2026-02-29T00:00:00Z",
    "2100-02-29T00:00:00Z",
    "2026-04-31T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z",
    "2026-01-00T00:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01T00:60:00Z",
    "2026-01-01T00:00:00",
    "2026-01-01",
    "2026-01-01 00:00:00Z",
    "2026-01-01T00:00:00.Z",
    "2026-01-01T00:00:00Z\n",
    "0000-01-01T00:59:59+01:00",
    "9999-12-31T23:00:00-01:00",
    ""
  ]) {
    it(`may not be ${JSON.stringify(text)}`, () => assert.isFalse(isTimestamp(text)))
  }
})

it("money in answers may be negative, money in requests may not", () => {
  assert.isTrue(isMoney({ amount: "-0.5", currency: "EUR" }))
  assert.isFalse(isMoneyIn({ amount: "-0.5", currency: "EUR" }))
  assert.isTrue(isMoneyIn({ amount: "0.5", currency: "EUR" }))
})

it("money in answers is never written with an exponent or a bare point", () => {
  for (const amount of ["1e-18", "1E3", ".5", "5.", "+5", "05", "NaN", ""]) {
    assert.isFalse(isMoney({ amount, currency: "EUR" }), amount)
  }
})

it("more decimals than any currency has are left to the decider, which knows the currency", () => {
  assert.isTrue(isMoneyIn({ amount: `0.${"1".repeat(40)}`, currency: "EUR" }))
})
