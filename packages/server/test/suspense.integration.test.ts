import { stored } from "./support/stored.ts"
import { Operation } from "@bursar/core/operation/Operation"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import type { WalletTransfer } from "@bursar/core/deposit/WalletTransfer"
import { nothingUndecided } from "@bursar/core/deposit/undecided"
import {
  confirmWalletTransfers,
  recordWalletTransfers,
  reorgWalletTransfers
} from "@bursar/core/incoming/walletTransfers"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { done } from "@bursar/core/port/ProviderResult"
import type { TransferState } from "@bursar/core/port/FiatProvider"
import { createTransfer } from "@bursar/core/transfer/createTransfer"
import { recordTransfer } from "@bursar/core/transfer/recordTransfer"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { Operator } from "./support/Operator.ts"
import { hashToken } from "../src/keys/operatorTokens.ts"

const token = `vera-${"0123456789abcdef".repeat(2)}`

const operators = [{ name: "vera", role: "viewer" as const, tokenHash: hashToken(token), expiresAt: null }]

/** How many lines are asked for at once. */
const shown = 100

it.live("whoever may look sees the lines of suspense page by page, the newest first, and all that stands there", () =>
  Effect.gen(function* () {
    const { seeder, operate, state } = yield* Operator
    const [tenant, other] = [yield* seeder.tenant(), yield* seeder.tenant()]
    const leave = (currency: string, units: bigint, reason: string, whose = tenant) =>
      seeder.submit(whose, adjustFloat({ amount: of(units, currency), from: "suspense", against: "custodian", reason }))
    yield* leave("ETH", 10n ** 18n, "first of all")
    for (let count = 1; count <= shown + 2; count += 1) yield* leave("XLM", 10_000_000n, `XLM ${count}`)
    yield* seeder.submit(tenant, adjustFloat({ amount: of(2_500_000n, "XLM"), against: "suspense", reason: "back" }))
    yield* leave("BTC", 1n, "theirs", other)
    const before = state.tenants.get(tenant)?.legs.length
    const read = (whose: string, more = "") =>
      operate("GET", `/operator/v1/tenants/${whose}/suspense?limit=${shown}${more}`, { key: token })
    const { body, status } = yield* read(tenant)
    assert.strictEqual(status, 200)
    assert.deepStrictEqual(body.balances, [
      { amount: "1", currency: "ETH" },
      { amount: "101.75", currency: "XLM" }
    ])
    const lines: ReadonlyArray<{ readonly amount: { readonly currency: string }; readonly reason: string }> =
      body.entries
    assert.deepStrictEqual(
      lines.map(({ amount, reason }) => [amount.currency, reason]),
      [["XLM", "back"], ...Array.from({ length: shown - 1 }, (_, index) => ["XLM", `XLM ${shown + 2 - index}`])]
    )
    const second = yield* read(tenant, `&cursor=${body.next_cursor}`)
    assert.deepStrictEqual(
      second.body.entries.map(({ reason }: { readonly reason: string }) => reason),
      ["XLM 3", "XLM 2", "XLM 1", "first of all"]
    )
    assert.strictEqual(second.body.next_cursor, null)
    assert.deepStrictEqual(second.body.balances, body.balances)
    const stolen = yield* read(other, `&cursor=${body.next_cursor}`)
    assert.deepStrictEqual([stolen.status, stolen.body.error.code], [422, "invalid_cursor"])
    const { operation_id, posted_at, ...newest } = body.entries[0]
    assert.isDefined(stored(state, tenant, Operation).get(operation_id))
    assert.match(posted_at, /Z$/u)
    // the line of its posting and leg, by which it is told from others that come later
    const leg = state.tenants
      .get(tenant)
      ?.legs.find((one) => one.operationId === operation_id && one.account === "suspense")
    assert.deepStrictEqual(newest, {
      id: `${leg?.postingSeq}.${leg?.ordinal}`,
      account: "suspense",
      direction: "out",
      amount: { amount: "0.25", currency: "XLM" },
      network: null,
      tx_hash: null,
      reason: "back",
      paid_to: null,
      memo: null,
      from_address: null,
      assignable: false,
      assigned: null
    })
    assert.deepStrictEqual((yield* read(other)).body.balances, [{ amount: "0.00000001", currency: "BTC" }])
    for (const nobody of ["019845e1-682f-7b02-a706-00000000ffff", "nobody"]) {
      const absent = yield* read(nobody)
      assert.deepStrictEqual([absent.status, absent.body.error.code], [404, "not_found"])
    }
    assert.strictEqual(state.tenants.get(tenant)?.legs.length, before)
  }).pipe(Effect.provide(Operator.layerWith({ operators })))
)

it.live(
  "whoever may look sees that what the chain took back cannot be assigned, and what is assigned since before",
  () =>
    Effect.gen(function* () {
      const { seeder, operate } = yield* Operator
      const tenant = yield* seeder.tenant()
      const block = (hash: string) => ({ number: 1, hash, time: 10 })
      const arrive = Effect.fnUntraced(function* (txHash: string, hash: string) {
        const at = { walletId: crypto.randomUUID(), address: "G", paidTo: "G", memo: null, fromAddress: "x" }
        const what = { network: "stellar", txHash, transferIndex: 0, currency: "XLM", units: 7n, block: block(hash) }
        const found = yield* seeder.submit(tenant, recordWalletTransfers([{ ...at, ...what }], presetNetworks))
        const all = found.map((incomingTransfer) => ({ incomingTransfer, block: block(hash) }))
        return yield* seeder.submit(tenant, confirmWalletTransfers(all, presetNetworks, nothingUndecided))
      })
      const lose = (all: ReadonlyArray<WalletTransfer>) =>
        seeder.submit(
          tenant,
          reorgWalletTransfers(
            all.map((incomingTransfer) => ({ incomingTransfer, block: incomingTransfer.block })),
            presetNetworks
          )
        )
      yield* lose(yield* arrive("gone", "b1"))
      const given = yield* arrive("given", "b1")
      const [first = assert.fail("it is not there")] = given.map(({ bookedBy }) => bookedBy)
      const { id: by } = yield* seeder.submit(
        tenant,
        adjustFloat({ amount: of(7n, "XLM"), against: "suspense", assigns: first, reason: "theirs" })
      )
      yield* lose(given)
      yield* arrive("given", "b2")
      const { body } = yield* operate("GET", `/operator/v1/tenants/${tenant}/suspense`, { key: token })
      const entries: ReadonlyArray<{
        readonly direction: string
        readonly tx_hash: string | null
        readonly assignable: boolean
        readonly assigned: unknown
      }> = body.entries
      const assigned = { adjustment_id: null, operation_id: by }
      assert.deepStrictEqual(
        entries.filter(({ direction }) => direction === "in").map((one) => [one.tx_hash, one.assignable, one.assigned]),
        [
          ["given", false, assigned],
          ["given", false, assigned],
          ["gone", false, null]
        ]
      )
    }).pipe(Effect.provide(Operator.layerWith({ operators })))
)

it.live("whoever may look sees money from a bank that is nobody's, and why", () =>
  Effect.gen(function* () {
    const { seeder, operate } = yield* Operator
    const tenant = yield* seeder.tenant()
    const currencies = defaultCurrencies
    const request = {
      toCurrency: "EUR",
      payee: null,
      rail: null,
      usd: null,
      madeBy: "maker",
      quoteId: null,
      partnerReference: null,
      customerId: null
    }
    const operation = yield* seeder.submit(
      tenant,
      createTransfer({
        ...request,
        kind: "ON_RAMP",
        amount: of(10_000n, "EUR"),
        actsFor: "TENANT",
        provider: { name: "fake", environment: "LIVE" },
        defaultFees: [],
        currencies
      })
    )
    const answer = done<TransferState>({
      providerReference: `t-${operation.id}`,
      status: "SETTLED",
      received: of(10_000n, "USD"),
      returned: null,
      sender: null,
      reason: null
    })
    yield* seeder.submit(tenant, recordTransfer({ operation, answer, currencies }))
    const { body } = yield* operate("GET", `/operator/v1/tenants/${tenant}/suspense`, { key: token })
    assert.deepStrictEqual(body.balances, [{ amount: "100", currency: "USD" }])
    assert.deepStrictEqual(
      [body.entries[0].operation_id, body.entries[0].reason],
      [operation.id, "100 USD arrived where EUR was to come"]
    )
    // resolving the operation places it
    assert.deepStrictEqual([body.entries[0].assignable, body.entries[0].assigned], [false, null])
  }).pipe(Effect.provide(Operator.layerWith({ operators })))
)

it.live("whoever may look sees what left a place that did not have it in the books, until it is explained", () =>
  Effect.gen(function* () {
    const { seeder, operate } = yield* Operator
    const tenant = yield* seeder.tenant()
    const currencies = defaultCurrencies
    const operation = yield* seeder.submit(
      tenant,
      createTransfer({
        kind: "ON_RAMP",
        amount: of(10_000n, "EUR"),
        toCurrency: "EUR",
        payee: null,
        rail: null,
        usd: null,
        madeBy: "maker",
        quoteId: null,
        partnerReference: null,
        customerId: null,
        actsFor: "TENANT",
        provider: { name: "fake", environment: "LIVE" },
        defaultFees: [],
        currencies
      })
    )
    const move = (from: "bank" | "custodian", against: "bank" | "custodian", units: bigint) =>
      seeder.submit(tenant, adjustFloat({ amount: of(units, "EUR"), from, against, reason: "moved" }))
    const hear = (status: TransferState["status"]) =>
      seeder.submit(
        tenant,
        recordTransfer({
          operation,
          currencies,
          answer: done<TransferState>({
            providerReference: `t-${operation.id}`,
            status,
            received: status === "SETTLED" ? operation.amount : null,
            returned: status === "RETURNED" ? operation.amount : null,
            sender: null,
            reason: null
          })
        })
      )
    yield* hear("SETTLED")
    yield* move("bank", "custodian", 6_000n)
    yield* hear("RETURNED")
    const read = Effect.map(
      operate("GET", `/operator/v1/tenants/${tenant}/suspense`, { key: token }),
      ({ body }) => body
    )
    const before = yield* read
    assert.deepStrictEqual(
      [before.balances, before.shortfalls],
      [[], [{ place: "bank", amount: { amount: "60", currency: "EUR" } }]]
    )
    const [entry] = before.entries
    assert.deepStrictEqual(
      [entry.account, entry.direction, entry.operation_id, entry.reason],
      ["suspense:bank", "in", operation.id, "Left bank without having been booked in there, with ON_RAMP."]
    )
    yield* move("custodian", "bank", 6_000n)
    const after = yield* read
    assert.deepStrictEqual([after.balances, after.shortfalls], [[], []], "it had stood elsewhere in the books")
  }).pipe(Effect.provide(Operator.layerWith({ operators })))
)
