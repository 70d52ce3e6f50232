import { apiError } from "@bursar/api/errors/ApiError"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { listLimits } from "@bursar/api/wire/QueryParameters"
import { FiatAccount, ledgerAccountOf } from "@bursar/core/account/FiatAccount"
import { endCheck } from "@bursar/core/customer/checkCommands"
import { Customer } from "@bursar/core/customer/Customer"
import { Writer } from "@bursar/core/engine/Writer"
import { Tenants } from "@bursar/core/port/Tenants"
import { Queries } from "@bursar/core/store/Queries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { showApart } from "../../../operationsApart.ts"
import { orUnavailable, submit } from "../../../refusals.ts"
import { afterRecord, pageOf } from "../afterRecord.ts"
import { findTenant } from "../found.ts"
import { payoutOf } from "../operations/payoutOf.ts"
import { operationToWire } from "../operations/toWire.ts"
import { unreadableToWire } from "../unreadableToWire.ts"
import { accountToWire, customerToWire, lineToWire } from "./toWire.ts"

const options = { uninterruptible: true }

/** End users of tenants, their checks and accounts, as operators look them up, and the end of a check that its provider forgot. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "customers",
  Effect.fnUntraced(function* (handlers) {
    const queries = yield* Queries
    const tenants = yield* Tenants
    const writer = yield* Writer
    const { currencies } = yield* ServerConfig

    const findCustomer = Effect.fnUntraced(function* (tenantId: TenantId, id: string) {
      const customer = yield* orUnavailable(queries.record(tenantId, Customer, id))
      return customer ?? (yield* apiError("not_found"))
    })

    const linesOf = (tenantId: TenantId, { currency, id }: FiatAccount, limit: number) =>
      orUnavailable(queries.accountLines(tenantId, { account: ledgerAccountOf(id), currency, limit }))

    const shownAccount = Effect.fnUntraced(function* (tenantId: TenantId, account: FiatAccount) {
      const [newest] = yield* linesOf(tenantId, account, 1)
      return accountToWire(account, newest?.leg.balance ?? 0n, currencies)
    })

    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ params, query }) {
        const { id } = yield* findTenant(tenants, params.tenant_id)
        const { external_id: externalId, limit = listLimits.operatorLists.default } = query
        const after = yield* afterRecord(queries, id, Customer, query.after)
        const found = yield* orUnavailable(queries.customers(id, { externalId, after, limit: limit + 1 }))
        const now = yield* Clock.currentTimeMillis
        const { nextAfter, page } = pageOf(found, limit)
        return { customers: page.map((one) => customerToWire(one, now)), next_after: nextAfter }
      }),
      get: Effect.fnUntraced(function* ({ params }) {
        const { id } = yield* findTenant(tenants, params.tenant_id)
        const customer = yield* findCustomer(id, params.customer_id)
        const accounts = yield* orUnavailable(queries.records(id, FiatAccount, customer.id))
        return {
          customer: customerToWire(customer, yield* Clock.currentTimeMillis),
          accounts: yield* Effect.forEach(accounts, (account) => shownAccount(id, account), { concurrency: 8 })
        }
      }),
      endCheck: {
        handler: Effect.fnUntraced(function* ({ params: { customer_id, tenant_id }, payload: { applicant_id } }) {
          const command = endCheck(customer_id, applicant_id)
          const customer = yield* submit(writer, TenantId(tenant_id), command)
          return customerToWire(customer, yield* Clock.currentTimeMillis)
        }),
        options
      },
      operations: Effect.fnUntraced(function* ({ params, query: { limit = listLimits.operatorLists.default } }) {
        const tenant = yield* findTenant(tenants, params.tenant_id)
        const { id: customerId } = yield* findCustomer(tenant.id, params.customer_id)
        const listed = yield* orUnavailable(queries.listedRegister(tenant.id, { customerId, limit }))
        const { shown, unreadable } = yield* showApart(listed, (operation) =>
          Effect.map(payoutOf(queries, operation), (payout) => operationToWire(operation, payout, tenant, currencies))
        )
        return { operations: shown, unreadable: unreadable.map((one) => unreadableToWire(one, tenant.slug)) }
      }),
      entries: Effect.fnUntraced(function* ({ params, query: { limit = listLimits.operatorLists.default } }) {
        const { id } = yield* findTenant(tenants, params.tenant_id)
        const account = yield* orUnavailable(queries.record(id, FiatAccount, params.account_id))
        if (account === undefined) return yield* apiError("not_found")
        const lines = yield* linesOf(id, account, limit)
        return {
          account: accountToWire(account, lines.at(0)?.leg.balance ?? 0n, currencies),
          entries: lines.map((line) => lineToWire(line, currencies))
        }
      })
    })
  })
)
