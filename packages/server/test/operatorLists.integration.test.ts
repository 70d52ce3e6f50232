import { Sweep } from "@bursar/core/sweep/Sweep"
import { DepositAddress } from "@bursar/core/address/DepositAddress"
import { recordCheck, recordOpenedCheck } from "@bursar/core/customer/checkCommands"
import { emit } from "@bursar/core/engine/emit"
import { createCustomer } from "@bursar/core/customer/createCustomer"
import { putRecord } from "@bursar/core/engine/Records"
import { Usage } from "@bursar/core/limit/Usage"
import { approved } from "@bursar/testkit/fixtures/FakeIdentity"
import { bareAddress, newIdAt } from "@bursar/testkit/fixtures/records"
import { writing } from "@bursar/testkit/fixtures/commands"
import { WebhookEndpoint } from "@bursar/core/webhook/WebhookEndpoint"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { hashToken } from "../src/keys/operatorTokens.ts"
import { Operator } from "./support/Operator.ts"
import type { Answer } from "./support/Partner.ts"
import { stored } from "./support/stored.ts"

const tokenOf = (name: string) => `${name}-${"0123456789abcdef".repeat(2)}`

const roles = { vera: "viewer", otto: "operator", anna: "approver", ada: "admin" } as const

const operators = Object.entries(roles).map(([name, role]) => ({
  name,
  role,
  tokenHash: hashToken(tokenOf(name)),
  expiresAt: null
}))

const codeOf = ({ body, status }: Answer) => [status, body?.error?.code]

const test = <A, E>(name: string, effect: Effect.Effect<A, E, Operator>) =>
  it.live(name, () => Effect.provide(effect, Operator.layerWith({ operators })))

const now = Date.UTC(2026, 2, 3)

/** Two tenants, the first with an address, a sweep of it, and two customers. */
const setUp = Effect.gen(function* () {
  const { operate, seeder, state } = yield* Operator
  const [one, other] = [yield* seeder.tenant(), yield* seeder.tenant()]
  const addressId = newIdAt(now)
  const sweepId = newIdAt(now)
  yield* seeder.submit(
    one,
    writing(({ tenant }) => {
      const address = bareAddress(
        { tenant, now, newId: () => addressId },
        { network: "ethereum", address: "0x9858effd232b4033e47d90003d41ec34ecaeda94", reference: "user-1" }
      )
      return [
        putRecord(DepositAddress, address),
        putRecord(Sweep, {
          id: sweepId,
          network: "ethereum",
          addressId,
          address: address.address,
          account: address.address,
          key: { _tag: "Imported" },
          currency: "ETH",
          contract: null,
          units: 5n * 10n ** 17n,
          state: "ELIGIBLE",
          topUpTransactionId: null,
          sweepTransactionId: null,
          deposits: [],
          problem: null,
          createdAt: now,
          endedAt: null,
          closedAt: null
        })
      ]
    })
  )
  const customers = yield* Effect.forEach(["user-1", "user-2"], (externalId) =>
    seeder.submit(one, createCustomer({ externalId, isBusiness: false, displayName: null, country: null }))
  )
  const of = (tenant: string) => (name: string, method: string, path: string, body?: unknown) =>
    operate(method, `/operator/v1/tenants/${tenant}${path}`, {
      key: tokenOf(name),
      ...(body === undefined ? {} : { body })
    })
  return { addressId, customers, one: of(one), other: of(other), oneId: one, state, sweepId }
})

describe("what operators look through", () => {
  test(
    "is found by what it is called, page by page, and never under another tenant",
    Effect.gen(function* () {
      const { addressId, customers, one, other, sweepId } = yield* setUp
      const asVera = (path: string) => one("vera", "GET", path)
      for (const query of [
        "address=0x9858EfFD232B4033E47d90003D41EC34EcaEda94",
        "reference=user-1",
        "network=ethereum&limit=1"
      ])
        assert.deepStrictEqual(
          (yield* asVera(`/addresses?${query}`)).body.addresses.map(({ id }: { id: string }) => id),
          [addressId],
          query
        )
      assert.deepStrictEqual((yield* asVera("/addresses?reference=user-9")).body, { addresses: [], next_after: null })
      const page = (yield* asVera("/customers?limit=1")).body
      assert.strictEqual(page.customers[0].external_id, "user-2")
      assert.deepInclude(page.customers[0].verification, { status: "NOT_STARTED", capabilities: [] })
      const rest = (yield* asVera(`/customers?limit=1&after=${page.next_after}`)).body
      assert.deepStrictEqual([rest.customers[0].external_id, rest.next_after], ["user-1", null])
      const sweeps = (yield* asVera("/sweeps?open=true")).body.sweeps
      assert.deepInclude(sweeps[0], { id: sweepId, amount: { amount: "0.5", currency: "ETH" }, state: "ELIGIBLE" })
      assert.deepStrictEqual((yield* asVera("/sweeps?open=false")).body.sweeps, [])
      assert.deepStrictEqual((yield* asVera(`/sweeps/${sweepId}`)).body.transactions, [])
      const customer = customers[0]?.id ?? ""
      for (const path of [
        `/customers/${customer}`,
        `/customers/${customer}/operations`,
        `/sweeps/${sweepId}`,
        `/accounts/${customer}/entries`
      ])
        assert.deepStrictEqual(codeOf(yield* other("vera", "GET", path)), [404, "not_found"], path)
      for (const path of [`/customers?after=${customer}`, `/sweeps?after=${sweepId}`, `/addresses?after=${addressId}`])
        assert.deepStrictEqual(codeOf(yield* other("vera", "GET", path)), [422, "invalid_cursor"], path)
      assert.deepStrictEqual(codeOf(yield* asVera("/addresses?network=nowhere")), [422, "unknown_network"])
    })
  )

  test(
    "an operator ends the approval of an applicant that the provider has deleted",
    Effect.gen(function* () {
      const { customers, one, oneId, other } = yield* setUp
      const { seeder } = yield* Operator
      const id = customers[0]?.id ?? ""
      const path = `/customers/${id}/end-check`
      const ending = { applicant_id: "gone", reason: "deleted at the provider" }
      assert.deepStrictEqual(codeOf(yield* one("otto", "POST", path, ending)), [409, "state_conflict"])
      yield* seeder.submit(oneId, recordOpenedCheck(id, "fake", { applicantId: "gone", status: "PENDING" }))
      yield* seeder.submit(oneId, recordCheck(id, "gone", approved(1)))
      assert.deepStrictEqual(codeOf(yield* one("vera", "POST", path, ending)), [403, "scope_missing"])
      assert.deepStrictEqual(codeOf(yield* other("otto", "POST", path, ending)), [404, "not_found"])
      const another = yield* one("otto", "POST", path, { ...ending, applicant_id: "new" })
      assert.deepStrictEqual(codeOf(another), [409, "state_conflict"])
      const { body } = yield* one("otto", "POST", path, ending)
      assert.deepInclude(body.verification, { status: "EXPIRED", applicant_id: "gone", capabilities: [] })
    })
  )

  test(
    "an address's past is read again from one start, by operators, for a live address of the tenant",
    Effect.gen(function* () {
      const { addressId, one, oneId, other, state } = yield* setUp
      const { operate, seeder } = yield* Operator
      const path = `/addresses/${addressId}/scan`
      const from = "2026-01-01T00:00:00Z"
      assert.deepStrictEqual(codeOf(yield* one("vera", "POST", path, { from })), [403, "scope_missing"])
      assert.deepStrictEqual(codeOf(yield* other("otto", "POST", path, { from })), [404, "not_found"])
      for (const body of [{}, { from, from_block: 1 }, { from: "2999-01-01T00:00:00Z" }, { from_block: -1 }])
        assert.strictEqual((yield* one("otto", "POST", path, body)).status, 422, JSON.stringify(body))
      // of a network that was read up to block 7, what comes after is no past
      const cursor = { number: 7, hash: "tip", parentHash: "before", time: 0 }
      state.networks.set("ethereum", {
        cursor,
        blocks: [],
        latest: 90,
        problem: null,
        notice: null,
        nodes: [],
        updatedAt: cursor.time
      })
      const late = yield* one("otto", "POST", path, { from_block: 8 })
      assert.deepStrictEqual(codeOf(late), [422, "invalid_request"])
      assert.include(JSON.stringify(late.body), "up to block 7")
      const begun = yield* one("otto", "POST", path, { from_block: 7 })
      assert.deepInclude(begun.body, { network: "ethereum", from_block: 7, next_block: null, last_block: null })
      const { body } = yield* operate("GET", "/operator/v1/scans")
      assert.deepStrictEqual(body.scans, [begun.body])
      const ending = `/scans/${begun.body.id}/end`
      const reason = { reason: "no node keeps these blocks", next_block: null }
      assert.deepStrictEqual(codeOf(yield* one("otto", "POST", ending, reason)), [403, "scope_missing"])
      assert.deepStrictEqual(codeOf(yield* one("anna", "POST", ending, { next_block: null })), [422, "invalid_request"])
      // it has gone on since somebody has seen it at block 7
      const gone = yield* one("anna", "POST", ending, { ...reason, next_block: 7 })
      assert.deepStrictEqual(codeOf(gone), [409, "state_conflict"])
      const ended = yield* one("anna", "POST", ending, reason)
      assert.deepInclude(ended.body.ended, { by: "anna", reason: reason.reason })
      assert.deepInclude(ended.body, { id: begun.body.id, next_block: null })
      assert.deepStrictEqual(codeOf(yield* one("anna", "POST", ending, reason)), [409, "state_conflict"])
      assert.deepStrictEqual((yield* operate("GET", "/operator/v1/scans")).body.scans, [])
      assert.deepStrictEqual((yield* operate("GET", "/operator/v1/scans?ended=true")).body.scans, [ended.body])
      yield* one("otto", "POST", path, { from_block: 7 })
      yield* seeder.submit(
        oneId,
        writing(() => {
          const address = stored(state, oneId, DepositAddress).get(addressId)
          return address === undefined ? [] : [putRecord(DepositAddress, { ...address, retiredAt: now })]
        })
      )
      assert.deepStrictEqual(codeOf(yield* one("otto", "POST", path, { from })), [409, "state_conflict"])
      assert.lengthOf((yield* operate("GET", "/operator/v1/scans")).body.scans, 1)
    })
  )

  test(
    "readings of the past of all networks come in pages, oldest first",
    Effect.gen(function* () {
      const { oneId, state } = yield* setUp
      const { operate } = yield* Operator
      const job = {
        tenantId: oneId,
        addresses: [],
        fromBlock: 1,
        fromTime: 0,
        nextBlock: 8,
        lastBlock: 9,
        dueAt: null,
        failures: 0,
        problem: null,
        ended: null
      }
      const ids = Array.from({ length: 5 }, () => newIdAt(0))
      for (const [createdAt, id] of ids.entries())
        state.backfills.set(id, { ...job, id, createdAt, network: createdAt % 2 === 0 ? "ethereum" : "base" })
      const idsOf = ({ body }: Answer) => body.scans.map(({ id }: { readonly id: string }) => id)
      const seen: Array<string> = []
      let cursor: string | null = ""
      for (let page = 0; page < 3; page += 1) {
        const found: Answer = yield* operate("GET", `/operator/v1/scans?limit=2${cursor}`)
        seen.push(...idsOf(found))
        cursor = found.body.next_cursor === null ? null : `&cursor=${found.body.next_cursor}`
      }
      assert.deepStrictEqual(seen, ids)
      assert.isNull(cursor)
      for (const wrong of ["x", "1", `1.${"x".repeat(36)}`, `x.${ids[0]}`])
        assert.deepStrictEqual(codeOf(yield* operate("GET", `/operator/v1/scans?cursor=${wrong}`)), [
          422,
          "invalid_cursor"
        ])
    })
  )

  test(
    "limits say what is used and what is left, and a ping delivers the newest event that an endpoint wants",
    Effect.gen(function* () {
      const { one, oneId, state } = yield* setUp
      const { operate, seeder } = yield* Operator
      yield* seeder.submit(
        oneId,
        writing((view) => [
          putRecord(Usage, { scope: "PAYOUT", buckets: [{ from: view.now - (view.now % 300_000), cents: 12_345n }] })
        ])
      )
      yield* operate("POST", `/operator/v1/tenants/${oneId}/settings`, { body: { payout_daily_limit_usd: "1000" } })
      const { body } = yield* one("vera", "GET", "/limits")
      assert.deepStrictEqual(body.payouts, {
        limit_usd: "1000.00",
        used_usd: "123.45",
        remaining_usd: "876.55",
        window_hours: 24
      })
      const endpoint = yield* one("otto", "POST", "/webhooks", {
        url: "https://partner.example/hook",
        kinds: ["xpub.retired"]
      })
      assert.strictEqual(endpoint.status, 201)
      const ping = `/webhooks/${endpoint.body.id}/ping`
      assert.deepStrictEqual(codeOf(yield* one("vera", "POST", ping)), [403, "scope_missing"])
      assert.deepStrictEqual(codeOf(yield* one("otto", "POST", ping)), [409, "state_conflict"])
      assert.strictEqual(stored(state, oneId, WebhookEndpoint).size, 1)
    })
  )

  test(
    "a ping of a disabled endpoint is refused, and what else is queued for it says that nothing is sent",
    Effect.gen(function* () {
      const { one, oneId } = yield* setUp
      const { seeder } = yield* Operator
      yield* seeder.submit(
        oneId,
        writing((view) => [emit(view, "xpub.retired", newIdAt(now), {})])
      )
      const endpoint = yield* one("otto", "POST", "/webhooks", { url: "https://partner.example/hook" })
      const at = `/webhooks/${endpoint.body.id}`
      const ping = yield* one("otto", "POST", `${at}/ping`)
      assert.strictEqual(ping.status, 200)
      const event = { event_id: ping.body.event_id }
      const range = { from_event_id: event.event_id, to_event_id: event.event_id }
      yield* one("otto", "POST", `${at}/disable`)
      assert.deepStrictEqual(codeOf(yield* one("otto", "POST", `${at}/ping`)), [409, "state_conflict"])
      for (const enabled of [false, true]) {
        if (enabled) yield* one("otto", "POST", `${at}/enable`)
        const queued = { queued: 1, enabled }
        assert.deepStrictEqual((yield* one("otto", "POST", `${at}/resend`, event)).body, queued)
        assert.deepStrictEqual((yield* one("otto", "POST", `${at}/replay`, range)).body, queued)
      }
    })
  )

  test(
    "the checker looks at one tenant where it is asked for one",
    Effect.gen(function* () {
      const { operate, seeder } = yield* Operator
      const oneId = yield* seeder.tenant()
      yield* seeder.tenant()
      const { body } = yield* operate("GET", `/operator/v1/check?tenant_id=${oneId}`)
      assert.isTrue(body.ok)
      const checked = new Set(body.invariants.map(({ tenant_id }: { tenant_id: string | null }) => tenant_id))
      assert.deepStrictEqual([...checked], [null, oneId])
      assert.deepStrictEqual(codeOf(yield* operate("GET", `/operator/v1/check?tenant_id=${newIdAt(now)}`)), [
        404,
        "not_found"
      ])
    })
  )
})
