import { listLimits } from "@bursar/api/wire/QueryParameters"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Quarantine } from "@bursar/core/port/Quarantine"
import { WatchState } from "@bursar/core/store/WatchState"
import { layerOver } from "@bursar/memory"
import { takeFence } from "@bursar/testkit/fixtures/fences"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { Operator } from "./support/Operator.ts"
import type { Answer } from "./support/Partner.ts"
import { hashToken } from "../src/keys/operatorTokens.ts"

const tokenOf = (name: string) => `${name}-${"0123456789abcdef".repeat(2)}`

const operators = (["viewer", "operator", "approver"] as const).map((role) => ({
  name: role,
  role,
  tokenHash: hashToken(tokenOf(role)),
  expiresAt: null
}))

const test = <A, E>(name: string, effect: Effect.Effect<A, E, Operator>) =>
  it.live(name, () => Effect.provide(effect, Operator.layerWith({ operators })))

const codeOf = ({ body, status }: Answer) => [status, body?.error?.code]

const at = Date.UTC(2026, 2, 3, 4, 5, 6)
const entry = {
  network: "base",
  block: { hash: "0xb7", number: 7, time: at },
  reason: "its kind, 0x79, is not known",
  gains: [{ to: "0xA1", contract: null, units: 10n ** 19n }],
  noticedAt: at
} as const

/** A watcher that has read base up to block 9 and left two transactions of block 7 in quarantine. */
const setUp = Effect.gen(function* () {
  const { operate, state } = yield* Operator
  yield* Effect.gen(function* () {
    const fence = yield* takeFence("watch:base")
    const cursor = { number: 9, hash: "0xb9", parentHash: "0xb8", time: at }
    yield* (yield* WatchState).advance(fence, "base", cursor, 0)
    yield* (yield* Quarantine).add(fence, [
      { ...entry, txHash: "0x1" },
      { ...entry, txHash: "0x2", gains: null }
    ])
  }).pipe(Effect.provide(layerOver(state)))
  const as = (role: string, method: "GET" | "POST", path: string, body?: unknown) =>
    operate(method, `/operator/v1/${path}`, { key: tokenOf(role), ...(body === undefined ? {} : { body }) })
  return { as, state }
})

test(
  "an operator sees what could not be read, and an approver ends it with a reason; nothing else does",
  Effect.gen(function* () {
    const { as } = yield* setUp
    const listed = (query = "") => Effect.map(as("viewer", "GET", `quarantine${query}`), ({ body }) => body.entries)
    const [one, ...others] = yield* listed("?network=base")
    assert.strictEqual(others.length, 1)
    assert.deepStrictEqual(one, {
      network: "base",
      block_number: 7,
      block_hash: "0xb7",
      block_time: new Date(at).toISOString(),
      tx_hash: "0x1",
      reason: entry.reason,
      gains: [{ address: "0xA1", contract: null, units: "10000000000000000000", across: "transaction" }],
      noticed_at: new Date(at).toISOString(),
      outcome: null,
      ended_by: null,
      end_reason: null,
      ended_at: null
    })
    assert.deepStrictEqual(yield* listed("?network=bsc"), [])
    const pass = { block_hash: "0xb7", tx_hash: "0x1", reason: "looked up by hand" }
    const path = "networks/base/quarantine/pass"
    assert.deepStrictEqual(codeOf(yield* as("operator", "POST", path, pass)), [403, "scope_missing"])
    assert.deepStrictEqual(codeOf(yield* as("approver", "POST", path, { block_hash: "0xb7" })), [
      422,
      "invalid_request"
    ])
    for (const wrong of [
      { ...pass, tx_hash: "0x3" },
      { ...pass, block_hash: "0xb8" }
    ])
      assert.deepStrictEqual(codeOf(yield* as("approver", "POST", path, wrong)), [404, "not_found"])
    const other = "networks/bsc/quarantine/pass"
    assert.deepStrictEqual(codeOf(yield* as("approver", "POST", other, pass)), [404, "not_found"])
    assert.strictEqual((yield* listed()).length, 2)
    assert.deepStrictEqual((yield* as("approver", "POST", path, pass)).body, { ended: 1 })
    assert.deepStrictEqual(codeOf(yield* as("approver", "POST", path, pass)), [404, "not_found"])
    assert.strictEqual((yield* listed()).length, 1)
    const ended = (yield* listed("?open=false")).find((row: { readonly tx_hash: string }) => row.tx_hash === "0x1")
    assert.deepInclude(ended, { outcome: "passed", ended_by: "approver", end_reason: "looked up by hand" })
  })
)

test(
  "an approver may write the hashes of what is passed in capitals, and without their prefix",
  Effect.gen(function* () {
    const { as, state } = yield* setUp
    const [hash, txHash] = [`0x${"b7".repeat(32)}`, `0x${"a1".repeat(32)}`]
    yield* Effect.gen(function* () {
      const fence = yield* takeFence("watch:base")
      yield* (yield* Quarantine).add(fence, [{ ...entry, block: { ...entry.block, hash }, txHash }])
    }).pipe(Effect.provide(layerOver(state)))
    const given = { block_hash: hash.slice(2), tx_hash: txHash.toUpperCase().slice(2), reason: "looked up by hand" }
    assert.deepStrictEqual((yield* as("approver", "POST", "networks/base/quarantine/pass", given)).body, { ended: 1 })
    assert.deepStrictEqual(codeOf(yield* as("approver", "POST", "networks/gone/quarantine/pass", given)), [
      404,
      "not_found"
    ])
  })
)

test(
  "a block that was read can be read again and not passed; one that was not, the other way round",
  Effect.gen(function* () {
    const { as, state } = yield* setUp
    const reason = { reason: "no node gives its receipts" }
    const conflict = [409, "state_conflict"]
    assert.deepStrictEqual(codeOf(yield* as("approver", "POST", "networks/base/blocks/9/pass", reason)), conflict)
    // nobody knows yet that it cannot be read: an order kept for it would pass it at the first answer that a node does not give
    for (const later of ["networks/base/blocks/11/pass", "networks/bsc/blocks/1/pass"])
      assert.deepStrictEqual(codeOf(yield* as("approver", "POST", later, reason)), conflict, later)
    assert.deepStrictEqual(codeOf(yield* as("operator", "POST", "networks/base/blocks/10/reread")), conflict)
    assert.deepStrictEqual(codeOf(yield* as("operator", "POST", "networks/bsc/blocks/1/reread")), conflict)
    const pass = "networks/base/blocks/10/pass"
    assert.deepStrictEqual(codeOf(yield* as("operator", "POST", pass, reason)), [403, "scope_missing"])
    assert.deepStrictEqual(codeOf(yield* as("viewer", "POST", "networks/base/blocks/9/reread")), [403, "scope_missing"])
    assert.deepStrictEqual(codeOf(yield* as("approver", "POST", pass, {})), [422, "invalid_request"])
    for (const path of [
      "networks/base/blocks/-1/reread",
      "networks/base/blocks/x/reread",
      "networks/doge/blocks/1/reread"
    ])
      assert.include([404, 422], (yield* as("operator", "POST", path)).status, path)
    assert.strictEqual(state.blockOrders.size, 0)
    const passed = yield* as("approver", "POST", pass, reason)
    assert.deepStrictEqual(passed.body, { network: "base", block_number: 10, order: "pass" })
    // one that was never read, at which a search of the past stands
    const job = { id: crypto.randomUUID(), tenantId: TenantId(crypto.randomUUID()), network: "base", addresses: [] }
    const from = {
      fromBlock: 1,
      fromTime: 0,
      createdAt: 0,
      nextBlock: 8,
      lastBlock: 9,
      dueAt: null,
      failures: 1,
      ended: null
    }
    // however many older ones there are
    for (let older = 0; older < listLimits.operatorLists.maximum; older += 1) {
      const id = crypto.randomUUID()
      state.backfills.set(id, { ...job, ...from, id, createdAt: -1, nextBlock: 1, problem: "no receipts" })
    }
    state.backfills.set(job.id, { ...job, ...from, problem: null })
    const past = "networks/base/blocks/8/pass"
    assert.deepStrictEqual(codeOf(yield* as("approver", "POST", past, reason)), conflict)
    state.backfills.set(job.id, { ...job, ...from, problem: "no receipts" })
    assert.deepStrictEqual((yield* as("approver", "POST", past, reason)).body.block_number, 8)
    assert.deepStrictEqual(codeOf(yield* as("approver", "POST", "networks/base/blocks/7/pass", reason)), conflict)
    const again = yield* as("operator", "POST", "networks/base/blocks/9/reread")
    assert.deepStrictEqual(again.body, { network: "base", block_number: 9, order: "reread" })
    assert.deepStrictEqual(
      [...state.blockOrders.values()].map(({ by, kind, number, reason: why }) => [number, kind, by, why]),
      [
        [10, "PASS", "approver", reason.reason],
        [8, "PASS", "approver", reason.reason],
        [9, "REREAD", "operator", null]
      ]
    )
    const orders = Effect.map(as("viewer", "GET", "block-orders"), ({ body }) => body.orders)
    const waiting = yield* orders
    assert.deepStrictEqual(
      waiting.map((one: { readonly block_number: number; readonly order: string }) => [one.block_number, one.order]),
      [
        [8, "pass"],
        [9, "reread"],
        [10, "pass"]
      ]
    )
    assert.deepInclude(waiting[0], { network: "base", by: "approver", reason: reason.reason })
    const withdraw = (block: string, order: string, role = "operator") =>
      as(role, "POST", `networks/base/blocks/${block}/withdraw`, { order })
    assert.deepStrictEqual(codeOf(yield* withdraw("8", "pass", "viewer")), [403, "scope_missing"])
    // another order than the one that somebody has seen
    assert.deepStrictEqual(codeOf(yield* withdraw("8", "reread")), conflict)
    const withdrawn = yield* withdraw("8", "pass")
    assert.deepStrictEqual(withdrawn.body, { network: "base", block_number: 8, order: "pass" })
    assert.deepStrictEqual(codeOf(yield* withdraw("8", "pass")), conflict)
    assert.deepStrictEqual(yield* orders, waiting.slice(1))
  })
)
