import { IssuingAccount } from "@bursar/core/address/IssuingAccount"
import { DepositAddress } from "@bursar/core/address/DepositAddress"
import { Customer } from "@bursar/core/customer/Customer"
import { Deposit } from "@bursar/core/deposit/Deposit"
import { emit } from "@bursar/core/engine/emit"
import { putRecord } from "@bursar/core/engine/Records"
import { IdempotencyRecord } from "@bursar/core/idempotency/IdempotencyRecord"
import { placeReads } from "@bursar/core/ledger/coverShortfall"
import { of } from "@bursar/core/money/Amount"
import { Operation } from "@bursar/core/operation/Operation"
import { Queries } from "@bursar/core/store/Queries"
import { Sweep } from "@bursar/core/sweep/Sweep"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { WebhookEndpoint } from "@bursar/core/webhook/WebhookEndpoint"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { writing } from "../../fixtures/commands.ts"
import {
  bareAddress,
  bareDeposit,
  bareEndpoint,
  bareOperation,
  bareTransaction,
  newIdAt
} from "../../fixtures/records.ts"
import { commitAt, newTenant, past } from "../../fixtures/tenants.ts"
import type { QueriesIt } from "./ports.ts"

/** A tenant that has one of everything that is asked for by an id, a key or a name. */
const newOwner = Effect.gen(function* () {
  const tenant = yield* newTenant({ createdAt: past })
  const { id: tenantId } = tenant
  let changeSeq = 0
  const view = { tenant, now: past, newId: () => newIdAt(past), nextChangeSeq: () => ++changeSeq }
  const operation = bareOperation(view, { status: "SETTLED", amount: of(5n, "ETH"), settledAt: past })
  const address = bareAddress(view, { reference: newIdAt(past) })
  const deposit = bareDeposit(view, address)
  const walletId = newIdAt(past)
  const transaction = bareTransaction(view, { walletId })
  const account: IssuingAccount = {
    ...{ tenantId, family: "evm", seedId: newIdAt(past), accountKey: newIdAt(past), nextIndex: 0, createdAt: past }
  }
  const customer: Customer = {
    ...{ id: newIdAt(past), externalId: newIdAt(past), isBusiness: false, displayName: null, country: null },
    ...{ verification: null, registration: null, createdAt: past }
  }
  const sweep: Sweep = {
    ...{ id: newIdAt(past), network: "ethereum", addressId: address.id, address: "0xI", account: "0xI" },
    ...{ key: { _tag: "Imported" }, currency: "ETH", contract: null, units: 5n, state: "SWEEP_SIGNED" },
    ...{ topUpTransactionId: null, sweepTransactionId: null, deposits: [], problem: null },
    ...{ createdAt: past, endedAt: null, closedAt: null }
  }
  const record: IdempotencyRecord = {
    ...{ key: newIdAt(past), endpoint: "payouts", fingerprint: "f", outcome: { _tag: "Done", body: null } },
    ...{ resourceId: null, recordedAt: past }
  }
  const endpoint = bareEndpoint(tenantId, newIdAt(past), past)
  const leg = { currency: "ETH", units: 5n, what: "adjustment" } as const
  yield* commitAt(
    tenantId,
    past + 10,
    writing(
      (of) => [
        putRecord(Operation, operation),
        putRecord(DepositAddress, address),
        putRecord(Deposit, deposit),
        putRecord(OutboundTransaction, transaction),
        putRecord(IssuingAccount, account),
        putRecord(Customer, customer),
        putRecord(Sweep, sweep),
        putRecord(IdempotencyRecord, record),
        putRecord(WebhookEndpoint, endpoint),
        emit(of, "deposit.detected", operation.id, {}),
        {
          _tag: "Posted",
          operationId: operation.id,
          legs: [
            { ...leg, account: "chain:base:payouts", direction: "DEBIT" },
            { ...leg, account: "float:available", direction: "CREDIT" }
          ]
        } as const
      ],
      [...placeReads("chain:base:payouts", "ETH"), { _tag: "Balance", account: "float:available", currency: "ETH" }]
    )
  )
  const page = { includeRetired: true, limit: 10 }
  const queries = yield* Queries
  /** How many a tenant is told of each, asked by what the owner's are called. */
  const told = (id: TenantId) =>
    Effect.all({
      address: Effect.map(queries.address(id, address.id), (one) => (one === undefined ? 0 : 1)),
      addresses: Effect.map(queries.addresses(id, { ...page, reference: address.reference }), (all) => all.length),
      addressesOfText: Effect.map(queries.addresses(id, { ...page, address: address.address }), (all) => all.length),
      issuingAccount: Effect.map(queries.issuingAccount(id, "evm"), (one) => (one === undefined ? 0 : 1)),
      deposits: Effect.map(
        queries.deposits(id, { after: 0, reference: deposit.reference, limit: 10 }),
        (all) => all.length
      ),
      events: Effect.map(queries.events(id, 0, 10), (all) => all.length),
      newestEvent: Effect.map(queries.newestEvent(id, null), (one) => (one === undefined ? 0 : 1)),
      eventsOf: Effect.map(queries.eventsOf(id, operation.id), (all) => all.length),
      float: Effect.map(queries.float(id), (all) => all.length),
      statement: Effect.map(queries.statement(id, { currency: "ETH", limit: 10 }), (all) => all.movements.length),
      register: Effect.map(queries.register(id, { limit: 10 }), (all) => all.length),
      summary: Effect.map(queries.summary(id, {}), (all) => all.length),
      operation: Effect.map(queries.operation(id, operation.id), (one) => (one === undefined ? 0 : 1)),
      legs: Effect.map(queries.legs(id, operation.id), (all) => all.length / 2),
      accountLines: Effect.map(
        queries.accountLines(id, { account: "float:available", currency: "ETH", limit: 10 }),
        (all) => all.length
      ),
      idempotencyRecord: Effect.map(queries.idempotencyRecord(id, record.key), (one) => (one === undefined ? 0 : 1)),
      record: Effect.map(queries.record(id, Customer, customer.id), (one) => (one === undefined ? 0 : 1)),
      records: Effect.map(queries.records(id, IssuingAccount), (all) => all.length),
      customers: Effect.map(queries.customers(id, { externalId: customer.externalId, limit: 10 }), (all) => all.length),
      sweeps: Effect.map(queries.sweeps(id, { addressId: address.id, limit: 10 }), (all) => all.length),
      openTransactions: Effect.map(queries.openTransactions(id, walletId, 10), (all) => all.length),
      endpoints: Effect.map(queries.endpoints(id), (all) => all.length)
    })
  return { tenantId, told }
})

/** What belongs to another tenant is not there, whatever it is asked for by. */
export const foreignTests = (it: QueriesIt, timeoutMs: number): void => {
  it.effect(
    "nothing of a tenant is told to another one that asks by its ids, keys and names",
    () =>
      Effect.gen(function* () {
        const { tenantId, told } = yield* newOwner
        const { id: other } = yield* newTenant({ createdAt: past })
        const own = yield* told(tenantId)
        assert.deepStrictEqual(
          own,
          // each is asked for in a way that finds it
          Object.fromEntries(Object.keys(own).map((name) => [name, 1])) as typeof own // of the same names
        )
        assert.deepStrictEqual(
          yield* told(other),
          Object.fromEntries(Object.keys(own).map((name) => [name, 0])) as typeof own // of the same names
        )
      }),
    timeoutMs
  )
}
