import { assert, it } from "@effect/vitest"
import { bundles, expandScope, expandScopes, scopes } from "../../src/scopes/Scopes.ts"
import { specification } from "../support/specification.ts"

it("every scope opens at least one route, and every route's scope exists", () => {
  const used = new Set(specification.flatMap(({ scope }) => (scope === null ? [] : [scope])))
  assert.deepStrictEqual(Array.from(used).toSorted(), scopes.toSorted())
})

it("a wildcard means every scope of its area", () => {
  assert.deepStrictEqual(expandScope("transfers:*"), ["transfers:read", "transfers:write"])
  assert.deepStrictEqual(expandScope("accounts:*"), ["accounts:read", "accounts:write"])
})

it("deposits:issue is given by its name alone, not by a wildcard and not by a bundle", () => {
  assert.deepStrictEqual(expandScope("deposits:*"), ["deposits:read", "deposits:write"])
  assert.deepStrictEqual(expandScope("deposits:issue"), ["deposits:issue"])
  for (const granted of Object.values(bundles)) assert.notInclude(granted, "deposits:issue")
})

it("what names nothing grants nothing", () => {
  for (const grant of [
    "",
    "*",
    "*:*",
    ":*",
    "deposit:*",
    "deposits:",
    "deposits",
    "deposits:delete",
    "deposits:read "
  ]) {
    assert.deepStrictEqual(expandScope(grant), [], grant)
  }
})

it("several grants give each scope once, in a fixed order", () => {
  assert.deepStrictEqual(expandScopes(["events:read", "transfers:*", "transfers:write", "deposits:read"]), [
    "deposits:read",
    "events:read",
    "transfers:read",
    "transfers:write"
  ])
})

const sorted = (names: ReadonlyArray<string>) => names.toSorted()

it("the bundles are those of the specification", () => {
  assert.deepStrictEqual(sorted(bundles.deposits), sorted(["deposits:read", "deposits:write", "events:read"]))
  assert.deepStrictEqual(
    sorted(bundles.chain_payouts),
    sorted(["chain_payouts:write", "chain_payouts:read", "events:read"])
  )
  assert.deepStrictEqual(
    sorted(bundles.withdrawals),
    sorted(["withdrawals:read", "withdrawals:write", "register:read", "events:read"])
  )
  assert.deepStrictEqual(
    sorted(bundles.swaps),
    sorted(["quotes:read", "swaps:read", "swaps:write", "register:read", "events:read"])
  )
  assert.deepStrictEqual(
    sorted(bundles.swaps_for_customers),
    sorted([...bundles.swaps, "customers:read", "customers:write"])
  )
})

it("the introspection bundle writes nothing", () => {
  assert.isTrue(bundles.introspection.every((scope) => scope.endsWith(":read")))
})
