import { assert, it } from "@effect/vitest"
import { networkFeeOf } from "../src/screens/networkFeeOf.ts"

it("a network fee is stated whole or not at all: its amount and who paid it", () => {
  const fee_currency = "USDC_BASE"
  assert.deepStrictEqual(networkFeeOf({ fee: "1", fee_currency, borne_by: "SERVICE" }), {
    network_fee: { amount: "1", currency: fee_currency, borne_by: "SERVICE" }
  })
  // another kind of operation asks for none, and the currency stands there from the beginning
  for (const none of [{}, { fee: "", fee_currency, borne_by: "" }]) assert.deepStrictEqual(networkFeeOf(none), {})
  for (const half of [
    { fee: "1", fee_currency, borne_by: "" },
    { fee: "", fee_currency, borne_by: "RECEIVER" }
  ])
    assert.isNull(networkFeeOf(half))
})
