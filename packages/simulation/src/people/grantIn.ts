import { importedSettings } from "@bursar/core/grant/importedGrants"
import { Grants } from "@bursar/core/grant/Grants"
import type { KindAndValues } from "@bursar/core/grant/GrantDocument"
import { readTenantRows } from "@bursar/core/grant/tenantRows"
import { beginningAccount } from "@bursar/core/granting/beginningAccount"
import { Networks } from "@bursar/core/port/Networks"
import { Tenants } from "@bursar/core/port/Tenants"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect } from "effect"
import type { World } from "../world/World.ts"
import { grantAtOnce, type Granting } from "./granting.ts"

/** The account that the tenant's addresses will be issued from. */
const accountOf = Effect.fnUntraced(function* (id: TenantId, network: string) {
  const adapter = (yield* Networks).get(network)
  const account = adapter && (yield* beginningAccount(id, adapter))
  if (adapter === undefined || account === undefined) return []
  const { accountKey, seedId } = account
  const values = { family: adapter.traits.family, seed_id: seedId, account_key: accountKey, state: "ACTIVE" as const }
  return [{ kind: "issuing_account", values }] satisfies ReadonlyArray<KindAndValues>
})

/** People grant a tenant all that its rows say, what it may be issued, and how much the signer may sign for it. */
export const grantIn = Effect.fnUntraced(function* (
  { assets: { limited }, config }: World,
  granting: Granting,
  id: TenantId
) {
  const tenant = yield* (yield* Tenants).byId(id)
  if (tenant === undefined) return yield* Effect.die(new Error("the tenant is gone"))
  const { tenant: chain } = yield* (yield* Grants).stateOf(id)
  const { contents, leftOut } = importedSettings(chain, yield* readTenantRows(tenant), yield* Clock.currentTimeMillis)
  if (leftOut.length > 0)
    return yield* Effect.die(new Error(leftOut.map(({ reason, what }) => `${what}: ${reason}`).join()))
  const written = (millionths: string | null): string | null =>
    millionths === null ? null : String(limited.unitsFor(BigInt(millionths)))
  const limit: KindAndValues = {
    kind: "currency_limit",
    values: {
      currency: limited.currency,
      per_payment: written(config.trust?.perPayment ?? null),
      per_hour: null,
      per_day: written(config.trust?.perDay ?? null)
    }
  }
  const all = [...(yield* accountOf(id, config.network)), ...(config.trust?.perDay == null ? [] : [limit]), ...contents]
  for (const content of all) {
    if (!(yield* grantAtOnce(granting, id, content)))
      return yield* Effect.die(new Error(`${content.kind} was not granted`))
  }
  return undefined
})
