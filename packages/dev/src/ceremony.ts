import type { IssuingAccount } from "@bursar/core/address/IssuingAccount"
import { Writer } from "@bursar/core/engine/Writer"
import { appendGrant, chainTenant, type GrantDraft, type KnownChain, neededFor } from "@bursar/core/grant/grantCommands"
import { planGrants } from "@bursar/core/grant/grantPlan"
import { Grants } from "@bursar/core/grant/Grants"
import { type ImportedGrants, importedNetworks, importedSettings } from "@bursar/core/grant/importedGrants"
import { readTenantRows } from "@bursar/core/grant/tenantRows"
import { grantEffect } from "@bursar/core/granting/grantEffect"
import { ServerConfig } from "@bursar/server/config/ServerConfig"
import { grantMeans } from "@bursar/server/keys/grantMeans"
import { beginningAccount } from "@bursar/core/granting/beginningAccount"
import { Networks } from "@bursar/core/port/Networks"
import { NetworkSwitches } from "@bursar/core/port/NetworkSwitches"
import { Tenants } from "@bursar/core/port/Tenants"
import { everyTenant } from "@bursar/core/port/TenantList"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Console, Effect } from "effect"
import type { DemoApprover } from "./approvers.ts"

const lifetimeMs = 3_600_000

/** Appends grants of some rows at the end of a chain, one after the other, each with the signatures of all approvers. */
const appendAll = Effect.fnUntraced(function* (
  known: KnownChain,
  { contents, leftOut }: ImportedGrants,
  { approvers, draft }: { readonly approvers: ReadonlyArray<DemoApprover>; readonly draft: Omit<GrantDraft, "content"> }
) {
  const writer = yield* Writer
  const means = grantMeans(yield* ServerConfig)
  for (const { reason, what } of leftOut) yield* Console.log(`Not granted: ${what}: ${reason}`)
  let chain = known
  for (const content of contents) {
    const { after, grants } = yield* planGrants(chain, [content], draft)
    for (const hashed of grants) {
      const judged = yield* Effect.fromResult(neededFor(chain, hashed.document))
      const verified = approvers.map(({ id, key }) => ({ person: id, approval: key.approve(hashed.hash) }))
      const effect = grantEffect(hashed.document, judged, means)
      yield* writer.submit(chainTenant(chain), appendGrant(chain, { hashed, verified, effect }))
    }
    chain = after
  }
})

/** The accounts of a tenant with those that addresses will be issued from, of each family of networks that is on. */
const withBeginnings = Effect.fnUntraced(function* (
  known: ReadonlyArray<IssuingAccount>,
  tenantId: TenantId,
  createdAt: number
) {
  const networks = yield* Networks
  const all = [...known]
  for (const adapter of networks.enabled.flatMap((name) => networks.get(name) ?? [])) {
    const { family } = adapter.traits
    if (all.some((one) => one.family === family)) continue
    const begun = yield* beginningAccount(tenantId, adapter)
    if (begun !== undefined) all.push({ ...begun, tenantId, family, createdAt })
  }
  return all
})

/**
 * Grants what the rows say, and the accounts that addresses will be issued from, as `bursar grant import` does, with the signatures of all approvers. It is for the first start alone: what
 * somebody writes into a row later becomes no grant by this. Where it was cut off, it goes on.
 */
export const firstCeremony = Effect.fn("dev.firstCeremony")(function* (approvers: ReadonlyArray<DemoApprover>) {
  const grants = yield* Grants
  const now = yield* Clock.currentTimeMillis
  const draft = { note: "The first ceremony.", by: "bursar-dev", now, expiresAt: now + lifetimeMs }
  const signed = { approvers, draft }
  const fleet = yield* grants.fleet
  yield* appendAll({ fleet }, importedNetworks(fleet, yield* (yield* NetworkSwitches).all), signed)
  for (const tenant of yield* everyTenant((yield* Tenants).list)) {
    const known = yield* grants.stateOf(tenant.id)
    const rows = yield* readTenantRows(tenant)
    const issuingAccounts = yield* withBeginnings(rows.issuingAccounts, tenant.id, now)
    yield* appendAll(known, importedSettings(known.tenant, { ...rows, issuingAccounts }, now), signed)
  }
})
