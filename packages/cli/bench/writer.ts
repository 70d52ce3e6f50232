import * as Writer from "@bursar/core/engine/Writer"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { Tenants } from "@bursar/core/port/Tenants"
import { defaultPolicy, type Tenant, TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect } from "effect"
import { throughput } from "./measure.ts"
import { paymentOnce } from "./payment.ts"

/** A tenant with a float that no bench exhausts. */
export const openTenant = Effect.fnUntraced(function* (slug: string) {
  const tenants = yield* Tenants
  const writer = yield* Writer.Writer
  const tenant: Tenant = {
    id: TenantId(crypto.randomUUID()),
    slug,
    name: slug,
    kind: "SANDBOX",
    status: "ACTIVE",
    policy: { ...defaultPolicy, ipAllowlist: null },
    createdAt: yield* Clock.currentTimeMillis
  }
  yield* tenants.create(tenant)
  yield* writer.submit(
    tenant.id,
    adjustFloat({ amount: { units: 10n ** 30n, currency: "USDT_ETH" }, against: "custodian", reason: "bench" })
  )
  return tenant
})

/** Full operations per second from `callers` callers over some tenants, each with one float. */
export const payments = Effect.fnUntraced(function* (tenants: ReadonlyArray<Tenant>, callers: number, seconds: number) {
  const writer = yield* Writer.Writer
  return yield* throughput(callers, seconds, (n) =>
    Effect.suspend(() => {
      const tenant = tenants[n % tenants.length]
      return tenant === undefined ? Effect.void : writer.submit(tenant.id, paymentOnce(crypto.randomUUID()))
    })
  )
})
