import { findOperations } from "./findOperations.ts"
import { search } from "./search.ts"
import { compareText } from "./byAge.ts"
import { DepositAddress } from "@bursar/core/address/DepositAddress"
import { IssuingAccount } from "@bursar/core/address/IssuingAccount"
import { Xpub } from "@bursar/core/address/Xpub"
import { Customer } from "@bursar/core/customer/Customer"
import { Deposit } from "@bursar/core/deposit/Deposit"
import type { RecordDefinition } from "@bursar/core/engine/Records"
import { WebhookEndpoint } from "@bursar/core/webhook/WebhookEndpoint"
import { isSuspense } from "@bursar/core/ledger/Account"
import { IdempotencyRecord } from "@bursar/core/idempotency/IdempotencyRecord"
import { Operation } from "@bursar/core/operation/Operation"
import { type LegPlace, Queries, type ReadableRecords } from "@bursar/core/store/Queries"
import { Sweep } from "@bursar/core/sweep/Sweep"
import { SweepableDeposit } from "@bursar/core/sweep/SweepableDeposit"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { Effect, Layer } from "effect"
import { largestSweepables } from "./largestSweepables.ts"
import * as Lists from "./lists.ts"
import * as OperatorLists from "./operatorLists.ts"
import { statement } from "./statement.ts"
import { recordsOf, Store, type TenantRecords } from "./Store.ts"

const newestFirst = (one: LegPlace, other: LegPlace): number =>
  other.postingSeq - one.postingSeq || other.ordinal - one.ordinal

/** Records of a kind by their keys in ascending order: of one group, or all of them. */
const inOrder = <A, K>(
  tenant: TenantRecords,
  of: RecordDefinition<A, K>,
  group: string | undefined
): ReadonlyArray<A> =>
  [...recordsOf(tenant, of).entries()]
    .filter(([, record]) => group === undefined || of.group(record) === group)
    .toSorted(([one], [other]) => compareText(one, other))
    .map(([, record]) => record)

/** What can be read of one tenant, in memory. A tenant that does not exist has nothing. */
export const layer = Layer.effect(
  Queries,
  Effect.gen(function* () {
    const state = yield* Store
    const read = <A>(tenantId: TenantId, none: A, use: (tenant: TenantRecords) => A): Effect.Effect<A> =>
      Effect.sync(() => {
        const tenant = state.tenants.get(tenantId)
        return tenant === undefined ? none : use(tenant)
      })
    return Queries.of({
      // they are found in what an older version has stored, which there is none of here
      keyConflicts: () => Effect.succeed([]),
      addresses: (tenantId, query) =>
        read(tenantId, [], (tenant) => Lists.addresses([...recordsOf(tenant, DepositAddress).values()], query)),
      address: (tenantId, id) => read(tenantId, undefined, (tenant) => recordsOf(tenant, DepositAddress).get(id)),
      xpubs: (tenantId, query) =>
        read(tenantId, [], (tenant) => Lists.xpubs([...recordsOf(tenant, Xpub).values()], query)),
      issuingAccount: (tenantId, family) =>
        read(tenantId, undefined, (tenant) => recordsOf(tenant, IssuingAccount).get(family)),
      deposits: (tenantId, query) =>
        read(tenantId, [], (tenant) => Lists.deposits([...recordsOf(tenant, Deposit).values()], query)),
      events: (tenantId, after, limit) => read(tenantId, [], ({ events }) => events.slice(after, after + limit)),
      newestEvent: (tenantId, kinds) =>
        read(tenantId, undefined, ({ events }) =>
          events.findLast(({ kind }) => kinds === null || kinds.includes(kind))
        ),
      float: (tenantId) =>
        read(tenantId, [], ({ balances }) =>
          [...balances.values()]
            .filter(({ account }) => account.startsWith("float:"))
            .toSorted(
              (left, right) => compareText(left.currency, right.currency) || compareText(left.account, right.account)
            )
        ),
      statement: (tenantId, query) =>
        read(tenantId, { opening: 0n, closing: 0n, movements: [], truncated: false }, (tenant) =>
          statement(tenant, query)
        ),
      register: (tenantId, query) =>
        read(tenantId, [], (tenant) =>
          Lists.register(Lists.registered(recordsOf(tenant, Operation).values(), tenant.legs), query)
        ),
      listedRegister: (tenantId, query) =>
        read(tenantId, [], (tenant) =>
          Lists.register(Lists.registered(recordsOf(tenant, Operation).values(), tenant.legs), query)
        ),
      summary: (tenantId, query) =>
        read(tenantId, [], (tenant) =>
          Lists.summary(Lists.registered(recordsOf(tenant, Operation).values(), tenant.legs), query)
        ),
      operations: (query) => Effect.sync(() => findOperations(state, query)),
      listedOperations: (query) => Effect.sync(() => findOperations(state, query)),
      search: (texts, limit, amounts) => Effect.sync(() => search(state, texts, limit, amounts)),
      operation: (tenantId, id) => read(tenantId, undefined, (tenant) => recordsOf(tenant, Operation).get(id)),
      eventsOf: (tenantId, resourceId) =>
        read(tenantId, [], ({ events }) => events.filter((event) => event.resourceId === resourceId)),
      legs: (tenantId, operationId) =>
        read(tenantId, [], ({ legs }) => legs.filter((leg) => leg.operationId === operationId)),
      accountLines: (tenantId, { account, currency, limit }) =>
        read(tenantId, [], (tenant) =>
          tenant.legs
            .filter((leg) => leg.account === account && leg.currency === currency)
            .toReversed()
            .slice(0, limit)
            .map((leg) => ({ leg, operation: recordsOf(tenant, Operation).get(leg.operationId) }))
        ),
      suspense: (tenantId) =>
        read(tenantId, [], ({ balances }) =>
          [...balances.values()]
            .filter(({ account }) => isSuspense(account))
            .toSorted(
              (one, other) => compareText(one.account, other.account) || compareText(one.currency, other.currency)
            )
        ),
      suspenseLines: (tenantId, { after, limit }) =>
        read(tenantId, [], (tenant) =>
          tenant.legs
            .filter((leg) => isSuspense(leg.account) && (after === undefined || newestFirst(after, leg) < 0))
            .toSorted(newestFirst)
            .slice(0, limit)
            .map((leg) => ({ leg, operation: recordsOf(tenant, Operation).get(leg.operationId) }))
        ),
      idempotencyRecord: (tenantId, key) =>
        read(tenantId, undefined, (tenant) => recordsOf(tenant, IdempotencyRecord).get(key)),
      record: <A, K>(tenantId: TenantId, of: RecordDefinition<A, K>, key: K) =>
        read(tenantId, undefined, (tenant) => recordsOf(tenant, of).get(of.text(key))),
      records: <A, K>(tenantId: TenantId, of: RecordDefinition<A, K>, group?: string) =>
        read(tenantId, [], (tenant) => inOrder(tenant, of, group)),
      readable: <A, K>(tenantId: TenantId, of: RecordDefinition<A, K>, group?: string) =>
        read<ReadableRecords<A>>(tenantId, { records: [], unreadable: [] }, (tenant) => ({
          records: inOrder(tenant, of, group),
          // it has no rows
          unreadable: []
        })),
      customers: (tenantId, query) =>
        read(tenantId, [], (tenant) => OperatorLists.customers([...recordsOf(tenant, Customer).values()], query)),
      sweeps: (tenantId, query) =>
        read(tenantId, [], (tenant) => OperatorLists.sweeps([...recordsOf(tenant, Sweep).values()], query)),
      largestSweepables: (tenantId, query) =>
        read(tenantId, [], (tenant) => largestSweepables([...recordsOf(tenant, SweepableDeposit).values()], query)),
      openTransactions: (tenantId, walletId, limit) =>
        read(tenantId, [], (tenant) =>
          OperatorLists.openTransactions([...recordsOf(tenant, OutboundTransaction).values()], walletId, limit)
        ),
      reorgedDeposits: (tenantId, limit) =>
        read(tenantId, [], (tenant) => OperatorLists.reorgedDeposits([...recordsOf(tenant, Deposit).values()], limit)),
      endpoints: (tenantId) => read(tenantId, [], (tenant) => [...recordsOf(tenant, WebhookEndpoint).values()]),
      heights: Effect.sync(
        () =>
          new Map(
            [...state.networks].flatMap(([network, { cursor, latest }]) =>
              cursor === undefined ? [] : [[network, Math.max(cursor.number, latest ?? 0)]]
            )
          )
      )
    })
  })
)
