import { assert, describe, it } from "@effect/vitest"
import { keyedEndpoints } from "../../src/handlers/introspection/keyedEndpoints.ts"

/** What idempotency records have called each endpoint since the first of them: a replay of any finds it by this name. */
const stored = {
  "POST /v1/deposit-addresses": [200, null],
  "POST /v1/deposit-addresses/derive": [200, null],
  "POST /v1/deposit-addresses/issue": [200, null],
  "POST /v1/deposit-keys": [200, null],
  "POST /v1/deposit-xpubs": [200, null],
  "POST /v1/chain-payouts": [201, "chain_payouts:read"],
  "POST /v1/withdrawals": [201, "withdrawals:read"],
  "POST /v1/swaps": [201, "swaps:read"],
  "POST /v1/customers": [201, null],
  "POST /v1/accounts": [201, "accounts:read"],
  "POST /v1/transfers": [201, "transfers:read"]
}

describe("endpoints that take an idempotency key", () => {
  it("have the names under which their records are stored", () => {
    const found = Array.from(keyedEndpoints, ([name, { shown, status }]) => [name, [status, shown?.scope ?? null]])
    assert.deepStrictEqual(Object.fromEntries(found), stored)
  })
})
