import { putRecord } from "@bursar/core/engine/Records"
import { DepositAddress } from "@bursar/core/address/DepositAddress"
import { Deposit } from "@bursar/core/deposit/Deposit"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import type { Change } from "@bursar/core/engine/Change"
import { of } from "@bursar/core/money/Amount"
import { holdReads } from "@bursar/core/operation/holds"
import { Operation } from "@bursar/core/operation/Operation"
import { layerOver } from "@bursar/memory"
import { writing } from "@bursar/testkit/fixtures/commands"
import { bareAddress, bareDeposit, bareOperation, newIdAt } from "@bursar/testkit/fixtures/records"
import { commitAt } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Operator } from "./support/Operator.ts"
import { stored } from "./support/stored.ts"

const code = "NEWT_ORCHARD"

/** What a process with a newer configuration has bound the database to. */
const newer = { code, network: "orchard", contract: "0xnew", decimals: 3, environment: "LIVE" } as const

/** A tenant with two settled operations and a deposit: all but one of the operations in a currency that this server lacks. */
const setUp = Effect.gen(function* () {
  const { seeder, state } = yield* Operator
  const id = yield* seeder.tenant()
  const key = yield* seeder.key(id)
  const now = Date.now()
  const tenant = { id } as Parameters<typeof bareOperation>[0]["tenant"] // of it the fixtures read the id alone
  const settled = { kind: "ADJUSTMENT", actsFor: "CUSTOMER", status: "SETTLED", settledAt: now } as const
  const [lost, known] = [{ ...settled, amount: of(15n, code) }, settled].map((more, index) =>
    bareOperation({ tenant, now: now + index, newId: () => newIdAt(now + index) }, more)
  )
  if (lost === undefined || known === undefined) return yield* Effect.die("they are not made")
  const swap = bareOperation(
    { tenant, now, newId: () => newIdAt(now - 1) },
    { ...settled, kind: "SWAP", actsFor: "TENANT", toAmount: of(7n, code) }
  )
  const commit = commitAt(
    id,
    now + 2,
    writing((view) => {
      const address = bareAddress(view)
      return [
        ...[lost, known, swap].map((one) => putRecord(Operation, one)),
        putRecord(DepositAddress, address),
        putRecord(Deposit, bareDeposit(view, address, { currency: code, units: 2_500n }))
      ]
    })
  )
  yield* Effect.provide(commit, layerOver(state))
  return { id, key, lost, known, swap }
})

/** The amounts of a list, as they are written. */
const amountsOf = (all: ReadonlyArray<{ readonly amount: { readonly amount: string; readonly currency: string } }>) =>
  all.map(({ amount }) => `${amount.amount} ${amount.currency}`)

describe("what a process with a newer configuration has booked", () => {
  it.live("is shown to the partner by what the database is bound to say of its currency", () =>
    Effect.gen(function* () {
      const { key, swap } = yield* setUp
      const { ask, logged, state } = yield* Operator
      state.knownCurrencies.set(code, newer)
      const read = (path: string) => ask("GET", path, { key })
      const page = yield* read("/v1/register")
      assert.strictEqual(page.status, 200, page.text)
      assert.sameMembers(amountsOf(page.body.entries), [
        "0.000000000000000001 ETH",
        `0.015 ${code}`,
        "0.000000000000000001 ETH"
      ])
      assert.strictEqual(page.body.next_cursor, null)
      const filtered = yield* read(`/v1/register?currency=${code}`)
      assert.deepStrictEqual(amountsOf(filtered.body.entries), [`0.015 ${code}`])
      const summary = yield* read("/v1/register/summary")
      assert.include(amountsOf(summary.body.totals), `0.015 ${code}`)
      const deposits = yield* read("/v1/deposits")
      assert.strictEqual(deposits.status, 200, deposits.text)
      assert.deepStrictEqual(amountsOf(deposits.body.deposits), [`2.5 ${code}`])
      const swaps = yield* read("/v1/swaps")
      assert.deepStrictEqual(
        swaps.body.map(({ to_amount }: { readonly to_amount: unknown }) => to_amount),
        [{ amount: "0.007", currency: code }]
      )
      const one = yield* read(`/v1/swaps/${swap.id}`)
      assert.deepStrictEqual(one.body.to_amount, { amount: "0.007", currency: code })
      assert.strictEqual((yield* read(`/v1/float/statement?currency=${code}`)).status, 200)
      // whoever runs the server is told to start it with the newer configuration
      assert.isNotEmpty(logged.filter((line) => line.includes("operations.unknown_currency") && line.includes(code)))
    }).pipe(Effect.provide(Operator.layer))
  )

  it.live("is neither left out nor a mistake of the service where nobody knows its decimals", () =>
    Effect.gen(function* () {
      const { key, swap } = yield* setUp
      const { ask } = yield* Operator
      for (const path of ["/register", "/register/summary", "/deposits", "/swaps", `/swaps/${swap.id}`]) {
        const { body, status, text } = yield* ask("GET", `/v1${path}`, { key })
        assert.deepStrictEqual([status, body.error.code], [503, "provider_unavailable"], `${path}: ${text}`)
      }
      const asked = yield* ask("GET", `/v1/register?currency=${code}`, { key })
      assert.strictEqual(asked.body.error.code, "unsupported_asset")
    }).pipe(Effect.provide(Operator.layer))
  )

  it.live("is shown to operators in base units, in lists and by itself", () =>
    Effect.gen(function* () {
      const { id, lost } = yield* setUp
      const { operate } = yield* Operator
      const told = { amount: "15", currency: `base units of ${code}` }
      const { body, status } = yield* operate("GET", `/operator/v1/tenants/${id}/operations/${lost.id}`)
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body.amount, told)
      const list = yield* operate("GET", "/operator/v1/operations")
      assert.include(amountsOf(list.body.operations), `15 base units of ${code}`)
      const found = yield* operate("GET", `/operator/v1/search?text=${lost.id}`)
      assert.deepStrictEqual(
        found.body.found.map(({ amount }: { readonly amount: unknown }) => amount),
        [told]
      )
    }).pipe(Effect.provide(Operator.layer))
  )

  it.live("is shown to operators exactly, in lists, files and by itself, where the database knows its decimals", () =>
    Effect.gen(function* () {
      const { id, lost } = yield* setUp
      const { operate, state } = yield* Operator
      state.knownCurrencies.set(code, newer)
      const told = { amount: "0.015", currency: code }
      const { body } = yield* operate("GET", `/operator/v1/tenants/${id}/operations/${lost.id}`)
      assert.deepStrictEqual(body.amount, told)
      const list = yield* operate("GET", "/operator/v1/operations")
      assert.include(amountsOf(list.body.operations), `0.015 ${code}`)
      const { text } = yield* operate("GET", "/operator/v1/operations/export")
      assert.include(text, `,0.015,${code},`)
    }).pipe(Effect.provide(Operator.layer))
  )

  const orders = [
    ["a cancellation", "ACCEPTED", "cancel", undefined],
    ["a rejection", "IN_REVIEW", "reject", { reason: "Nobody knows it." }]
  ] as const

  for (const [what, status, action, body] of orders)
    it.live(`is given back by ${what} where the database knows its decimals, and else stays as it is`, () =>
      Effect.gen(function* () {
        const { operate, logged, seeder, state } = yield* Operator
        const id = yield* seeder.tenant()
        yield* seeder.submit(id, adjustFloat({ amount: of(2_500n, code), against: "custodian", reason: "t" }))
        const tenant = { id } as Parameters<typeof bareOperation>[0]["tenant"] // of it the fixture reads the id alone
        const now = Date.now()
        const order = bareOperation(
          { tenant, now, newId: () => newIdAt(now) },
          {
            kind: "WITHDRAWAL",
            status,
            amount: of(1_500n, code),
            customerFee: of(0n, code),
            details: status === "IN_REVIEW" ? { review: { state: "PENDING" } } : {}
          }
        )
        const held: Change = {
          _tag: "Posted",
          operationId: order.id,
          legs: [
            { currency: code, direction: "DEBIT", account: "float:available", units: 1_500n, what: "hold" },
            { currency: code, direction: "CREDIT", account: "float:held", units: 1_500n, what: "hold" }
          ]
        }
        yield* seeder.submit(
          id,
          writing<Change>(() => [putRecord(Operation, order), held], holdReads(code, "custodian"))
        )
        const path = `/operator/v1/tenants/${id}/${action === "cancel" ? "operations" : "reviews"}/${order.id}/${action}`
        const balances = Effect.sync(() =>
          ["float:available", "float:held"].map((account) => {
            const legs = state.tenants.get(id)?.legs.filter((leg) => leg.account === account) ?? []
            return legs.at(-1)?.balance
          })
        )
        const before = yield* balances
        const refused = yield* operate("POST", path, { body })
        assert.deepStrictEqual([refused.status, refused.body.error.code], [503, "provider_unavailable"], refused.text)
        assert.include(refused.body.error.message, code)
        assert.deepStrictEqual(yield* balances, before)
        assert.isNotEmpty(logged.filter((line) => line.includes("operations.unknown_currency")))

        state.knownCurrencies.set(code, newer)
        const done = yield* operate("POST", path, { body })
        assert.strictEqual(done.status, 200, done.text)
        assert.strictEqual(stored(state, id, Operation).get(order.id)?.status, "FAILED")
        assert.deepStrictEqual(yield* balances, [2_500n, 0n])
        const told = [...(state.tenants.get(id)?.events ?? [])].find(({ resourceId }) => resourceId === order.id)
        assert.deepInclude(told?.data, { amount: "1.5", currency: code })
      }).pipe(Effect.provide(Operator.layer))
    )

  it.live(
    "is resolved by nobody here, nor is its network asked: the server says what it lacks, and changes nothing",
    () =>
      Effect.gen(function* () {
        const { operate, seeder, state } = yield* Operator
        const id = yield* seeder.tenant()
        state.knownCurrencies.set(code, newer)
        const sent = yield* seeder.submit(
          id,
          writing((view) => [
            putRecord(
              Operation,
              bareOperation(view, {
                kind: "WITHDRAWAL",
                status: "SENT",
                unresolved: true,
                amount: of(1_500n, code),
                network: "orchard",
                details: { sent_at: view.now }
              })
            )
          ])
        )
        const before = [...stored(state, id, Operation).values()]
        assert.lengthOf(sent, 1)
        const path = `/operator/v1/tenants/${id}/operations/${before[0]?.id}`
        const tx_hash = `0x${"ab".repeat(32)}`
        const statement = {
          basis: "PROVIDER",
          reference: "Ticket 4711",
          source: "Support",
          statement: "It was deleted."
        }
        for (const [action, body, lacked] of [
          ["resolve", { ...statement, outcome: "FAILED" }, code],
          ["resolve", { ...statement, outcome: "SETTLED", tx_hash }, "orchard"],
          ["evidence", { note: "seen", tx_hash }, "orchard"]
        ] as const) {
          const refused = yield* operate("POST", `${path}/${action}`, { body })
          assert.deepStrictEqual([refused.status, refused.body.error.code], [503, "provider_unavailable"], refused.text)
          assert.include(refused.body.error.message, lacked)
        }
        assert.deepStrictEqual([...stored(state, id, Operation).values()], before)
        assert.strictEqual((yield* operate("POST", `${path}/evidence`, { body: { note: "seen" } })).status, 200)
      }).pipe(Effect.provide(Operator.layer))
  )
})
