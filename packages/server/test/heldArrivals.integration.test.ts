import { HeldArrivals } from "@bursar/core/port/HeldArrivals"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { layerOver } from "@bursar/memory"
import { takeFence } from "@bursar/testkit/fixtures/fences"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { hashToken } from "../src/keys/operatorTokens.ts"
import { Operator } from "./support/Operator.ts"
import type { Answer } from "./support/Partner.ts"

const tokenOf = (name: string) => `${name}-${"0123456789abcdef".repeat(2)}`

const operators = [
  ["viewer", "viewer"],
  ["operator", "operator"],
  ["alice", "approver"],
  ["bob", "approver"]
] as const

const named = operators.map(([name, role]) => ({ name, role, tokenHash: hashToken(tokenOf(name)), expiresAt: null }))

const codeOf = ({ body, status }: Answer) => [status, body?.error?.code]

const since = Date.UTC(2026, 2, 3, 4, 5, 6)

const held = (txHash: string) =>
  ({
    network: "base",
    txHash,
    transferIndex: 1,
    blockHash: "0xb7",
    blockNumber: 7,
    tenantId: TenantId("a-tenant"),
    address: "0xA1",
    currency: "USDC_BASE",
    units: 10n ** 19n,
    state: "disputed",
    said: [{ node: "node 2 of 2 (acme)", operator: "acme", says: "it has the block without such a transfer" }],
    since
  }) as const

it.live("operators see what nodes do not agree on; two of them credit it by their own evidence, one refuses it", () =>
  Effect.gen(function* () {
    const { operate, state } = yield* Operator
    yield* Effect.gen(function* () {
      const fence = yield* takeFence("watch:base")
      const { hold } = yield* HeldArrivals
      yield* hold(fence, held("0x1"))
      yield* hold(fence, held("0x2"))
    }).pipe(Effect.provide(layerOver(state)))
    const as = (name: string, method: "GET" | "POST", path: string, body?: unknown) =>
      operate(method, `/operator/v1/${path}`, { key: tokenOf(name), ...(body === undefined ? {} : { body }) })
    const listed = (query = "") => Effect.map(as("viewer", "GET", `held-arrivals${query}`), ({ body }) => body.arrivals)
    assert.deepStrictEqual((yield* listed("?network=base&limit=1"))[0], {
      network: "base",
      tx_hash: "0x1",
      transfer_index: 1,
      block_number: 7,
      block_hash: "0xb7",
      tenant_id: "a-tenant",
      address: "0xA1",
      currency: "USDC_BASE",
      amount_units: "10000000000000000000",
      state: "disputed",
      said: held("0x1").said,
      since: new Date(since).toISOString(),
      accepted_by: null,
      acceptance_reason: null,
      outcome: null,
      ended_by: null,
      end_reason: null,
      ended_at: null
    })
    assert.deepStrictEqual(yield* listed("?network=bsc"), [])
    const first = (yield* as("viewer", "GET", "held-arrivals?limit=1")).body
    const second = (yield* as("viewer", "GET", `held-arrivals?limit=1&cursor=${first.next_cursor}`)).body
    assert.deepStrictEqual(
      [...first.arrivals, ...second.arrivals].map(({ tx_hash }: { readonly tx_hash: string }) => tx_hash),
      ["0x1", "0x2"]
    )
    assert.strictEqual(second.next_cursor, null)
    // it is good for this list under these filters alone
    for (const path of ["held-arrivals?network=base&", "quarantine?", "key-conflicts?"])
      assert.deepStrictEqual(codeOf(yield* as("viewer", "GET", `${path}cursor=${first.next_cursor}`)), [
        422,
        "invalid_cursor"
      ])
    const which = { tx_hash: "0x1", transfer_index: 1, block_hash: "0xb7", reason: "seen on two explorers" }
    const accept = "networks/base/held-arrivals/accept"
    const refuse = "networks/base/held-arrivals/refuse"
    for (const path of [accept, refuse]) {
      assert.deepStrictEqual(codeOf(yield* as("operator", "POST", path, which)), [403, "scope_missing"])
      for (const wrong of [
        { ...which, transfer_index: 0 },
        { ...which, block_hash: "0xb8" }
      ])
        assert.deepStrictEqual(codeOf(yield* as("alice", "POST", path, wrong)), [404, "not_found"])
      assert.strictEqual((yield* as("alice", "POST", path, { ...which, reason: "" })).status, 422)
      assert.strictEqual((yield* as("alice", "POST", path, { ...which, transfer_index: -1 })).status, 422)
    }
    const pays = { address: "0xA1", currency: "USDC_BASE", amount_units: "10000000000000000000" }
    // the record has changed since it was shown
    const stale = { ...which, pays: { ...pays, amount_units: "10" } }
    for (const path of [accept, refuse])
      assert.deepStrictEqual(codeOf(yield* as("alice", "POST", path, stale)), [409, "state_conflict"])
    assert.deepStrictEqual((yield* as("alice", "POST", accept, { ...which, pays })).body, { state: "first_acceptance" })
    assert.deepStrictEqual(codeOf(yield* as("alice", "POST", accept, which)), [409, "state_conflict"])
    assert.strictEqual((yield* listed()).length, 2)
    assert.deepStrictEqual((yield* as("bob", "POST", accept, which)).body, { state: "accepted" })
    assert.deepStrictEqual((yield* as("bob", "POST", refuse, { ...which, tx_hash: "0x2" })).body, { state: "refused" })
    assert.deepStrictEqual(codeOf(yield* as("alice", "POST", accept, { ...which, tx_hash: "0x2" })), [404, "not_found"])
    assert.deepStrictEqual(yield* listed(), [])
    const ended: ReadonlyArray<Record<string, unknown>> = yield* listed("?open=false")
    assert.deepInclude(
      ended.find((row) => row["tx_hash"] === "0x1"),
      { outcome: "accepted", accepted_by: "alice", ended_by: "bob" }
    )
  }).pipe(Effect.provide(Operator.layerWith({ operators: named })))
)

it.live("operators may write the hashes of what they decide in capitals, and without their prefix", () =>
  Effect.gen(function* () {
    const { operate, state } = yield* Operator
    const [blockHash, txHash] = [`0x${"b7".repeat(32)}`, `0x${"a1".repeat(32)}`]
    yield* Effect.gen(function* () {
      const fence = yield* takeFence("watch:base")
      yield* (yield* HeldArrivals).hold(fence, { ...held(txHash), blockHash })
    }).pipe(Effect.provide(layerOver(state)))
    const body = {
      tx_hash: txHash.slice(2).toUpperCase(),
      transfer_index: 1,
      block_hash: blockHash.slice(2).toUpperCase(),
      reason: "seen on two explorers"
    }
    const refused = yield* operate("POST", "/operator/v1/networks/base/held-arrivals/refuse", {
      key: tokenOf("bob"),
      body
    })
    assert.deepStrictEqual(refused.body, { state: "refused" })
  }).pipe(Effect.provide(Operator.layerWith({ operators: named })))
)
