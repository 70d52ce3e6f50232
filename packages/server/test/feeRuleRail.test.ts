import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Product } from "@bursar/core/pricing/Product"
import { assert, it } from "@effect/vitest"
import { railProblem } from "../src/handlers/operator/custody/feeRuleRail.ts"

type Case = readonly [Product | null, string | null, string | null]

const problemOf = ([product, currency, rail]: Case) => railProblem({ product, currency, rail }, defaultCurrencies)

it.each<Case>([
  ["CHAIN_PAYOUT", null, "trom"],
  ["CHAIN_PAYOUT", null, "SEPA"],
  ["CHAIN_PAYOUT", "USDT_TRON", "ethereum"],
  ["CHAIN_PAYOUT", "EUR", "ethereum"],
  ["WITHDRAWAL", "USDC_BASE", "tron"],
  ["SWAP", null, "tron"],
  ["SWAP", "EUR", "SEPA"],
  ["OFF_RAMP", null, "PIGEON"],
  ["BANK_TRANSFER", null, "tron"],
  ["BANK_TRANSFER", "EUR", "ACH"],
  [null, null, "trom"],
  [null, "USDT_TRON", "ethereum"]
])("a fee rule for %s of %s by the rail %s would never be charged, and is refused", (...rule) => {
  assert.isString(problemOf(rule))
})

it.each<Case>([
  ["CHAIN_PAYOUT", null, "tron"],
  ["CHAIN_PAYOUT", null, "TRON"],
  ["CHAIN_PAYOUT", "USDT_TRON", "tron"],
  ["WITHDRAWAL", "USDC_BASE", "base"],
  ["SWAP", null, null],
  ["OFF_RAMP", "USDC_BASE", "sepa"],
  ["ON_RAMP", "EUR", "SEPA_INSTANT"],
  ["BANK_TRANSFER", "EUR", "SEPA"],
  ["BANK_TRANSFER", "USD", "fedwire"],
  [null, null, "FPS"],
  [null, "USDT_TRON", "tron"],
  [null, "USDT_TRON", "SEPA"]
])("a fee rule for %s of %s by the rail %s is taken", (...rule) => {
  assert.isUndefined(problemOf(rule))
})
