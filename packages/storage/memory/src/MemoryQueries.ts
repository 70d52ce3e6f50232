import { findOperations } from "./findOperations.ts"
import { compareText } from "./byAge.ts"
import { type RecordKind, recordKinds } from "@bursar/core/engine/Records"
import { Queries } from "@bursar/core/port/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Layer } from "effect"
import * as Lists from "./lists.ts"
import { statement } from "./statement.ts"
import { recordsOf, Store, type TenantRecords } from "./Store.ts"

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
        read(tenantId, [], ({ addresses }) => Lists.addresses([...addresses.values()], query)),
      address: (tenantId, id) => read(tenantId, undefined, ({ addresses }) => addresses.get(id)),
      xpubs: (tenantId, query) => read(tenantId, [], ({ xpubs }) => Lists.xpubs([...xpubs.values()], query)),
      issuingAccount: (tenantId, family) =>
        read(tenantId, undefined, ({ issuingAccounts }) => issuingAccounts.get(family)),
      deposits: (tenantId, query) =>
        read(tenantId, [], ({ deposits }) => Lists.deposits([...deposits.values()], query)),
      events: (tenantId, after, limit) => read(tenantId, [], ({ events }) => events.slice(after, after + limit)),
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
        read(tenantId, [], ({ legs, operations }) =>
          Lists.register(Lists.registered(operations.values(), legs), query)
        ),
      summary: (tenantId, query) =>
        read(tenantId, [], ({ legs, operations }) => Lists.summary(Lists.registered(operations.values(), legs), query)),
      operations: (query) => Effect.sync(() => findOperations(state, query)),
      operation: (tenantId, id) => read(tenantId, undefined, ({ operations }) => operations.get(id)),
      eventsOf: (tenantId, resourceId) =>
        read(tenantId, [], ({ events }) => events.filter((event) => event.resourceId === resourceId)),
      legs: (tenantId, operationId) =>
        read(tenantId, [], ({ legs }) => legs.filter((leg) => leg.operationId === operationId)),
      accountLines: (tenantId, { account, currency, limit }) =>
        read(tenantId, [], ({ legs, operations }) =>
          legs
            .filter((leg) => leg.account === account && leg.currency === currency)
            .toReversed()
            .slice(0, limit)
            .map((leg) => ({ leg, operation: operations.get(leg.operationId) }))
        ),
      idempotencyRecord: (tenantId, key) =>
        read(tenantId, undefined, ({ idempotencyRecords }) => idempotencyRecords.get(key)),
      record: <K extends RecordKind>(tenantId: TenantId, kind: K, key: string) =>
        read(tenantId, undefined, (tenant) => recordsOf(tenant, kind).get(key)),
      records: <K extends RecordKind>(tenantId: TenantId, kind: K, group?: string) =>
        read(tenantId, [], (tenant) =>
          [...recordsOf(tenant, kind).entries()]
            .filter(([, record]) => group === undefined || recordKinds[kind].group(record) === group)
            .toSorted(([one], [other]) => compareText(one, other))
            .map(([, record]) => record)
        ),
      endpoints: (tenantId) => read(tenantId, [], ({ endpoints }) => [...endpoints.values()]),
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
