import { createCustomer } from "@bursar/core/customer/createCustomer"
import { putRecord } from "@bursar/core/engine/Records"
import { of } from "@bursar/core/money/Amount"
import { Operation } from "@bursar/core/operation/Operation"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { layerOver, type State } from "@bursar/memory"
import { writing } from "@bursar/testkit/fixtures/commands"
import { bareOperation, newIdAt } from "@bursar/testkit/fixtures/records"
import { commitAt } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Operator } from "./support/Operator.ts"

const test = <A, E>(name: string, effect: Effect.Effect<A, E, Operator>) =>
  it.live(name, () => Effect.provide(effect, Operator.layer))

/** Puts operations of a tenant as they stand, each accepted a millisecond after the one before. */
const put = Effect.fnUntraced(function* (state: State, id: TenantId, all: ReadonlyArray<Partial<Operation>>) {
  const tenant = { id } as Parameters<typeof bareOperation>[0]["tenant"] // of it the fixture reads the id alone
  const now = Date.now()
  const made = all.map((more, index) =>
    bareOperation({ tenant, now: now + index, newId: () => newIdAt(now + index) }, more)
  )
  const commit = commitAt(
    id,
    now + all.length,
    writing(() => made.map((one) => putRecord(Operation, one)))
  )
  yield* Effect.provide(commit, layerOver(state))
  return made
})

const textOf = (url: string, query: string) =>
  Effect.promise(async () => {
    const answer = await fetch(`${url}/operator/v1/operations/export${query}`, {
      headers: { authorization: "Bearer operator-operator-operator-operator" }
    })
    return { status: answer.status, type: answer.headers.get("content-type"), text: await answer.text() }
  })

describe("a file of operations", () => {
  test(
    "has every operation of the filters, more than a page of them, and says where it ends",
    Effect.gen(function* () {
      const { operate, operatorUrl, seeder, state } = yield* Operator
      const [one, other] = [yield* seeder.tenant(), yield* seeder.tenant()]
      const made = yield* put(
        state,
        one,
        Array.from({ length: 1_001 }, () => ({ kind: "WITHDRAWAL" as const, amount: of(15n * 10n ** 17n, "ETH") }))
      )
      yield* put(state, other, [{ kind: "WITHDRAWAL" }])
      const { body } = yield* operate("GET", `/operator/v1/operations?tenant_id=${one}&currency=ETH&limit=1`)
      assert.strictEqual(body.operations[0].id, made.at(-1)?.id)
      const { status, text, type } = yield* textOf(operatorUrl, `?tenant_id=${one}&order=oldest`)
      assert.deepStrictEqual([status, type], [200, "text/csv; charset=utf-8"])
      const lines = text.trimEnd().split("\r\n")
      assert.strictEqual(lines.length, 1 + 1_001 + 1)
      assert.strictEqual(lines.at(-1), "end")
      assert.deepStrictEqual(
        lines.slice(1, -1).map((line) => line.split(",")[0]),
        made.map(({ id }) => id)
      )
      assert.include(lines[1], ",WITHDRAWAL,ACCEPTED,false,1.5,ETH,")
    })
  )

  test(
    "is whole where an amount is of a currency that was taken out of the configuration, and says so there",
    Effect.gen(function* () {
      const { operatorUrl, seeder, state } = yield* Operator
      const id = yield* seeder.tenant()
      yield* put(state, id, [{ amount: of(1n, "OLDT_ORCHARD") }, {}])
      const { text } = yield* textOf(operatorUrl, `?tenant_id=${id}&order=oldest`)
      const lines = text.trimEnd().split("\r\n")
      assert.lengthOf(lines, 4)
      assert.include(lines[1], ",unknown currency,OLDT_ORCHARD,")
      assert.strictEqual(lines.at(-1), "end")
    })
  )

  test(
    "and lists and searches of all tenants show an amount in such a currency in its base units, and sums do without it",
    Effect.gen(function* () {
      const { operate, seeder, state } = yield* Operator
      const id = yield* seeder.tenant()
      const customer = { externalId: "c", isBusiness: false, displayName: null, country: null }
      const { id: customerId } = yield* seeder.submit(id, createCustomer(customer))
      const settled = { customerId, partnerReference: "both", status: "SETTLED", settledAt: Date.now() } as const
      const old = of(1n, "OLDT_ORCHARD")
      const made = yield* put(state, id, [
        settled,
        { ...settled, amount: old },
        { ...settled, customerFee: old },
        { ...settled, toAmount: old }
      ])
      const read = (path: string) => operate("GET", `/operator/v1${path}`)
      for (const path of ["/operations", `/tenants/${id}/customers/${customerId}/operations`]) {
        const { body, status } = yield* read(path)
        assert.strictEqual(status, 200, path)
        assert.deepStrictEqual(
          body.operations.map((one: Record<string, unknown>) => one["id"]),
          made.map((one) => one.id).toReversed(),
          path
        )
        const [, , third] = body.operations
        assert.deepStrictEqual(third.amount, { amount: "1", currency: "base units of OLDT_ORCHARD" }, path)
      }
      const first = yield* read("/operations?limit=3")
      assert.lengthOf(first.body.operations, 3)
      const second = yield* read(`/operations?limit=3&cursor=${first.body.next_cursor}`)
      assert.lengthOf(second.body.operations, 1)
      const { body: search } = yield* read("/search?text=both")
      assert.lengthOf(search.found, 4)
      const { body: volume } = yield* read("/series/volume?span=day")
      assert.isNotEmpty(volume.points)
      for (const { amount } of volume.points) assert.notStrictEqual(amount.currency, "OLDT_ORCHARD")
    })
  )

  test(
    "never lets a partner's text be a formula, a second cell or a second line",
    Effect.gen(function* () {
      const { operatorUrl, seeder, state } = yield* Operator
      const id = yield* seeder.tenant()
      yield* put(state, id, [
        { partnerReference: `=HYPERLINK("https://thief.example","pay")` },
        { partnerReference: `a","b\r\nc` }
      ])
      const { text } = yield* textOf(operatorUrl, `?tenant_id=${id}`)
      assert.include(text, `"'=HYPERLINK(""https://thief.example"",""pay"")"`)
      assert.strictEqual(text.trimEnd().split("\r\n").length, 4)
    })
  )

  test(
    "is written to others while some read theirs no further",
    Effect.gen(function* () {
      const { operatorUrl, seeder, state } = yield* Operator
      const id = yield* seeder.tenant()
      // more than the buffers of a connection take
      const partnerReference = "r".repeat(250)
      yield* put(
        state,
        id,
        Array.from({ length: 20_000 }, () => ({ partnerReference }))
      )
      const stall = Effect.acquireRelease(
        Effect.promise(async () => {
          const answer = await fetch(`${operatorUrl}/operator/v1/operations/export?tenant_id=${id}`, {
            headers: { authorization: "Bearer operator-operator-operator-operator" }
          })
          const reader = answer.body?.getReader()
          await reader?.read()
          return reader
        }),
        (reader) => Effect.promise(async () => reader?.cancel())
      )
      yield* Effect.all(Array.from({ length: 4 }, () => stall))
      const { text } = yield* textOf(operatorUrl, `?tenant_id=${id}`)
      assert.strictEqual(text.trimEnd().split("\r\n").length, 1 + 20_000 + 1)
    }).pipe(Effect.scoped)
  )

  test(
    "is refused as the list is where a filter is wrong",
    Effect.gen(function* () {
      const { operatorUrl } = yield* Operator
      for (const query of ["?kind=GIFT", "?status=LOST", "?network=moon", "?tenant_id=acme"])
        assert.strictEqual((yield* textOf(operatorUrl, query)).status, 422, query)
    })
  )
})

describe("sums over time", () => {
  test(
    "are those of the steps up to now, of one tenant or of all",
    Effect.gen(function* () {
      const { operate, seeder, state } = yield* Operator
      const [one, other] = [yield* seeder.tenant(), yield* seeder.tenant()]
      const settled = { kind: "WITHDRAWAL" as const, status: "SETTLED" as const, amount: of(10n ** 18n, "ETH") }
      const now = Date.now()
      yield* put(state, one, [{ ...settled, settledAt: now + 5_000 }, settled])
      yield* put(state, other, [settled])
      const sum = (points: ReadonlyArray<{ readonly count: number }>) =>
        points.reduce((total, { count }) => total + count, 0)
      for (const [span, steps] of [
        ["day", 24],
        ["week", 168],
        ["month", 31],
        ["quarter", 92]
      ] as const) {
        const { body } = yield* operate("GET", `/operator/v1/series/volume?span=${span}&tenant_id=${one}`)
        const seconds = (Date.parse(body.until) - Date.parse(body.from)) / 1_000
        assert.strictEqual(seconds / body.step_seconds, steps)
        assert.strictEqual(sum(body.points), 2)
        assert.deepInclude(body.points[0], {
          kind: "WITHDRAWAL",
          status: "SETTLED",
          amount: { amount: "2", currency: "ETH" }
        })
      }
      const all = yield* operate("GET", "/operator/v1/series/volume?span=day")
      assert.strictEqual(sum(all.body.points), 3)
      const times = yield* operate("GET", `/operator/v1/series/times?span=day&tenant_id=${one}`)
      assert.strictEqual(times.body.settlement[0].count, 1)
      const nobody = yield* operate("GET", `/operator/v1/tenants/${crypto.randomUUID()}/series/balances?span=day`)
      assert.strictEqual(nobody.status, 404)
      const balances = yield* operate("GET", `/operator/v1/tenants/${one}/series/balances?span=day`)
      assert.deepStrictEqual(balances.body.points, [])
      for (const query of ["", "?span=year", "?span=day&tenant_id=acme"])
        assert.strictEqual((yield* operate("GET", `/operator/v1/series/volume${query}`)).status, 422, query)
    })
  )
})

describe("a search for an amount", () => {
  test(
    "finds operations of just this amount, in the currency that is named or in all",
    Effect.gen(function* () {
      const { operate, seeder, state } = yield* Operator
      const id = yield* seeder.tenant()
      const [ether] = yield* put(state, id, [
        { amount: of(15n * 10n ** 17n, "ETH") },
        { amount: of(16n * 10n ** 17n, "ETH") }
      ])
      const find = (text: string) =>
        Effect.map(operate("GET", `/operator/v1/search?text=${encodeURIComponent(text)}`), ({ body }) =>
          body.found.map((one: Record<string, unknown>) => [one["what"], one["operation_id"]])
        )
      for (const text of ["1.5", "1.50", "1.5 ETH", "1.5 eth"])
        assert.deepStrictEqual(yield* find(text), [["amount", ether?.id]], text)
      for (const text of ["1.5 BTC", "1.4", "1.5 NONE", "1.5.5", "-1.5", "1e18"])
        assert.deepStrictEqual(yield* find(text), [], text)
    })
  )
})
