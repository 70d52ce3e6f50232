import { setTenantPolicy, setTenantStatus } from "@bursar/core/access/tenantCommands"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { recordCheck } from "@bursar/core/customer/checkCommands"
import { rejectDestination } from "@bursar/core/destination/destinationCommands"
import type { Command } from "@bursar/core/engine/Command"
import type { Reached } from "@bursar/core/environment/reach"
import { GrantChainBroken } from "@bursar/core/grant/verifyChain"
import { type Judgement, leaveReads, mayNotLeave } from "@bursar/core/leaving/mayLeave"
import { unsignedObjection } from "@bursar/core/leaving/unsigned"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Operation } from "@bursar/core/operation/Operation"
import type { OperationKind } from "@bursar/core/operation/OperationKind"
import { createSwap } from "@bursar/core/swap/createSwap"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { looking, writing } from "@bursar/testkit/fixtures/commands"
import { newCustomer } from "@bursar/testkit/fixtures/customers"
import { applicantOf, approved } from "@bursar/testkit/fixtures/FakeIdentity"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { dollar, keyed, store, submit, verified, withdraw, withdrawer } from "../withdrawal/world.ts"

const coin = "USDC_BASE"
const [here, there] = [`0x${"aa".repeat(20)}`, `0x${"bb".repeat(20)}`] as const
const custodian: Reached = { name: "fake", environment: "LIVE" }

const may = (id: TenantId, operation: Operation, through = custodian) =>
  submit(
    id,
    looking(leaveReads(operation), (view) => mayNotLeave(view, operation, through)?.reason ?? null)
  )

const accepted = Effect.gen(function* () {
  const id = yield* withdrawer()
  const destination = yield* verified(id, here)
  const made = yield* withdraw(id, 5_000_000n)
  return typeof made === "string" ? assert.fail(made) : { destination, id, operation: made }
})

/** Takes so much from the float, or gives it, as a deposit does that was reorged. */
const post = (units: bigint) =>
  writing(
    () => [
      {
        _tag: "Posted",
        operationId: crypto.randomUUID(),
        legs: [
          { account: "float:available", direction: units < 0n ? "DEBIT" : "CREDIT", currency: coin, what: "reversal" },
          { account: "suspense", direction: units < 0n ? "CREDIT" : "DEBIT", currency: coin, what: "reversal" }
        ].map((leg) => ({ ...leg, units: units < 0n ? -units : units })) as never, // legs that fit
        mayOverdraw: true
      }
    ],
    [
      { _tag: "Balance", account: "float:available", currency: coin },
      { _tag: "Balance", account: "suspense", currency: coin }
    ]
  )

const move = (from: "bank" | "custodian", against: "bank" | "custodian", units: bigint) =>
  adjustFloat({ amount: of(units, coin), from, against, reason: "moved" })

const all = 1_000_000_000_000n

describe("a withdrawal that was accepted may leave", () => {
  it.effect("while all is as it was", () =>
    Effect.gen(function* () {
      const { id, operation } = yield* accepted
      assert.isNull(yield* may(id, operation))
    }).pipe(Effect.provide(store))
  )

  it.effect.each<readonly [string, string, Command<unknown>, Command<unknown>]>([
    ["its tenant is active", "tenant_not_active", setTenantStatus("SUSPENDED"), setTenantStatus("ACTIVE")],
    [
      "withdrawals are switched on",
      "switched_off",
      setTenantPolicy({ withdrawalsEnabled: false }),
      setTenantPolicy({ withdrawalsEnabled: true })
    ],
    ["nothing was taken back that was spent already", "float_overdrawn", post(-all), post(all)],
    [
      "it stands at the custodian, to the last unit",
      "insufficient_wallet",
      move("custodian", "bank", all - 4_999_999n),
      move("bank", "custodian", 1n)
    ]
  ])("only while %s", ([, reason, stop, mend]) =>
    Effect.gen(function* () {
      const { id, operation } = yield* accepted
      yield* submit(id, stop)
      assert.strictEqual(yield* may(id, operation), reason)
      yield* submit(id, mend)
      assert.isNull(yield* may(id, operation))
    }).pipe(Effect.provide(store))
  )

  it.effect("only to the destination that it was accepted for, while that is the one", () =>
    Effect.gen(function* () {
      const { destination, id, operation } = yield* accepted
      const other = yield* verified(id, there)
      assert.strictEqual(yield* may(id, operation), "destination_not_usable")
      yield* submit(id, rejectDestination(other.id, "no"))
      assert.strictEqual(yield* may(id, operation), "destination_not_usable")
      // the same place once more
      yield* verified(id, here)
      assert.isNull(yield* may(id, operation))
      // a row that names another place is none that was accepted
      const moved = (more: Partial<Operation>) => may(id, { ...operation, ...more })
      const to = (where: object) => ({ details: { ...operation.details, destination: where } as never }) // a row may say anything
      assert.strictEqual(yield* moved(to({ address: there, memo: null })), "destination_not_usable")
      assert.strictEqual(yield* moved(to({ address: here, memo: "7" })), "destination_not_usable")
      assert.strictEqual(yield* moved({ network: "ethereum" }), "destination_not_usable")
      assert.strictEqual(yield* moved({ details: {} }), "destination_not_usable")
      assert.strictEqual(destination.address, here)
    }).pipe(Effect.provide(store))
  )

  it.effect("only through what is of its tenant's environment, and once nobody has to approve it", () =>
    Effect.gen(function* () {
      const { id, operation } = yield* accepted
      assert.strictEqual(yield* may(id, operation, { name: "fake", environment: "SANDBOX" }), "other_environment")
      assert.strictEqual(yield* may(id, { ...operation, status: "IN_REVIEW" }), "in_review")
    }).pipe(Effect.provide(store))
  )
})

describe("what is done in a customer's name may leave", () => {
  it.effect("only while the customer's check grants it", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      yield* submit(id, adjustFloat({ amount: of(5_000_000n, coin), against: "bank", reason: "funded" }))
      const { id: customerId } = yield* newCustomer(id)
      const command = createSwap({
        amount: of(5_000_000n, coin),
        toCurrency: "USDT_ETH",
        customerId,
        quoteId: null,
        partnerReference: null,
        provider: custodian,
        madeBy: "maker",
        pair: { minimum: null, step: null },
        rate: yield* dollar(),
        defaultFees: [],
        currencies: defaultCurrencies
      })
      const swap = yield* keyed(id, command, "POST /v1/swaps")
      if (typeof swap === "string") return assert.fail(swap)
      const hear = (...[state]: [Parameters<typeof recordCheck>[2]]) =>
        submit(id, recordCheck(customerId, applicantOf(customerId), state))
      assert.isNull(yield* may(id, swap))
      yield* hear(approved(2, { status: "REJECTED" }))
      assert.strictEqual(yield* may(id, swap), "customer_not_permitted")
      yield* hear(approved(3, { capabilities: ["payouts"] }))
      assert.strictEqual(yield* may(id, swap), "customer_not_permitted")
      // a transfer needs another grant than a swap
      for (const kind of ["BANK_TRANSFER", "ON_RAMP"] as const) assert.isNull(yield* may(id, { ...swap, kind }))
      yield* hear(approved(4, { capabilities: ["swaps"] }))
      assert.isNull(yield* may(id, swap))
      assert.strictEqual(yield* may(id, { ...swap, kind: "BANK_TRANSFER" }), "customer_not_permitted")
      // money that comes in on a customer's behalf goes through a provider in the customer's name, too
      assert.strictEqual(yield* may(id, { ...swap, kind: "ON_RAMP" }), "customer_not_permitted")
      // in the tenant's own name nobody's check counts, whoever it is for
      for (const kind of ["BANK_TRANSFER", "ON_RAMP"] as const)
        assert.isNull(yield* may(id, { ...swap, kind, actsFor: "TENANT" }))
    }).pipe(Effect.provide(store))
  )
})

describe("what leaves through a provider", () => {
  it.effect.each<readonly [OperationKind, string | null]>([
    ["WITHDRAWAL", "tenant_not_active"],
    ["SWAP", "tenant_not_active"],
    ["OFF_RAMP", "tenant_not_active"],
    ["BANK_TRANSFER", "tenant_not_active"],
    ["REFUND", "tenant_not_active"],
    ["ON_RAMP", null]
  ])("is all that goes out, and not what comes in: a %s of a suspended tenant", ([kind, reason]) =>
    Effect.gen(function* () {
      const { id, operation } = yield* accepted
      yield* submit(id, setTenantStatus("SUSPENDED"))
      assert.strictEqual(yield* may(id, { ...operation, kind }), reason)
      assert.strictEqual(leaveReads({ ...operation, kind }).length > 0, reason !== null)
    }).pipe(Effect.provide(store))
  )

  it.effect("is switched off for withdrawals alone, and is no chain payout", () =>
    Effect.gen(function* () {
      const { id, operation } = yield* accepted
      yield* submit(id, setTenantPolicy({ withdrawalsEnabled: false }))
      assert.isNull(yield* may(id, { ...operation, kind: "SWAP" }))
      assert.throws(() => leaveReads({ ...operation, kind: "CHAIN_PAYOUT" }), /chain payout/u)
    }).pipe(Effect.provide(store))
  )
})

describe("what a partner has signed", () => {
  it.effect("is what was looked at: what was changed since is not sent", () =>
    Effect.gen(function* () {
      const { operation } = yield* accepted
      assert.isUndefined(unsignedObjection(operation, undefined))
      const seen = { read: operation, objection: undefined }
      assert.isUndefined(unsignedObjection(operation, seen))
      // what changes while it waits is no part of the order
      const later = { ...operation, status: "IN_REVIEW", details: { ...operation.details, asked: 3 } } as Operation
      assert.isUndefined(unsignedObjection(later, seen))
      assert.strictEqual(unsignedObjection(operation, { read: operation, objection: "no key" }), "no key")
      const changes: ReadonlyArray<object> = [
        { kind: "SWAP" },
        { amount: of(5_000_001n, coin) },
        { amount: of(5_000_000n, "USDT_ETH") },
        { customerId: "c" },
        { actsFor: "CUSTOMER" },
        { network: "ethereum" },
        { provider: "other" },
        ...["payee", "refund_of", "destination", "to_currency", "rail", "quote_id", "provider_customer_id"].map(
          (field) => ({ details: { ...operation.details, [field]: "other" } })
        )
      ]
      for (const change of changes) {
        const other = { ...operation, ...change } as Operation // a row may say anything
        assert.include(unsignedObjection(other, seen), "changed", JSON.stringify(Object.keys(change)))
      }
    }).pipe(Effect.provide(store))
  )
})

describe("what is known beside the rows", () => {
  it.effect("keeps a withdrawal from leaving: grants that do not hold, and a signature that does not carry it", () =>
    Effect.gen(function* () {
      const { id, operation } = yield* accepted
      const judged = (judgement: Judgement) =>
        submit(
          id,
          looking(leaveReads(operation), (view) => mayNotLeave(view, operation, custodian, judgement)?.detail ?? null)
        )
      assert.isNull(yield* judged({}))
      assert.isNull(yield* judged({ seen: { read: operation, objection: undefined } }))
      assert.strictEqual(yield* judged({ seen: { read: operation, objection: "nobody signed" } }), "nobody signed")
      const broken = new GrantChainBroken({
        tenantId: null,
        position: 2,
        code: "wrong_number",
        reason: "a grant is missing"
      })
      assert.include(yield* judged({ ruling: broken }), "a grant is missing")
    }).pipe(Effect.provide(store))
  )
})
