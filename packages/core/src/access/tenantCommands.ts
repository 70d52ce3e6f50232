import { Result } from "effect"
import type { Command } from "../engine/Command.ts"
import { Refusal } from "../base/Refusal.ts"
import { withdrawalWindowHoursMax } from "../limit/limitedUsage.ts"
import { ApiKey } from "./ApiKey.ts"
import type { Tenant, TenantPolicy, TenantStatus } from "../tenant/Tenant.ts"
import { readRecord, putRecord } from "../engine/Records.ts"

/** From which status an operator may move a tenant to which. CLOSED is final. */
const permitted: Readonly<Record<TenantStatus, ReadonlyArray<TenantStatus>>> = {
  ONBOARDING: ["ACTIVE", "CLOSED"],
  ACTIVE: ["SUSPENDED", "CLOSED"],
  SUSPENDED: ["ACTIVE", "CLOSED"],
  CLOSED: []
}

/** Moves a tenant to another status; to its own changes nothing. Refuses other moves with `state_conflict`. */
export const setTenantStatus = (status: TenantStatus): Command<Tenant> => ({
  name: "SetTenantStatus",
  reads: [],
  decide: ({ tenant }) => {
    if (tenant.status === status) return Result.succeed({ changes: [], reply: tenant })
    if (!permitted[tenant.status].includes(status)) {
      return Result.fail(
        new Refusal({ code: "state_conflict", message: `A tenant that is ${tenant.status} cannot become ${status}.` })
      )
    }
    const moved = { ...tenant, status }
    return Result.succeed({ changes: [{ _tag: "TenantPut", tenant: moved }], reply: moved })
  }
})

/** Changes parts of a tenant's policy. Refuses a window of withdrawals for longer than their usage is kept (`invalid_request`). */
export const setTenantPolicy = (patch: Partial<TenantPolicy>): Command<Tenant> => ({
  name: "SetTenantPolicy",
  reads: [],
  decide: ({ tenant }) => {
    const hours = patch.withdrawalWindowHours ?? 1
    if (hours < 1 || hours > withdrawalWindowHoursMax)
      return Result.fail(
        new Refusal({
          code: "invalid_request",
          message: `The withdrawal window must be between 1 and ${withdrawalWindowHoursMax} hours.`
        })
      )
    const changed = { ...tenant, policy: { ...tenant.policy, ...patch } }
    return Result.succeed({ changes: [{ _tag: "TenantPut", tenant: changed }], reply: changed })
  }
})

/**
 * Stores a new key of the tenant; its secret has been shown, hashed and sealed by whoever made it. Refuses one that has expired
 * already (`invalid_request`).
 */
export const addApiKey = (key: Omit<ApiKey, "tenantId" | "createdAt" | "revokedAt">): Command<ApiKey> => ({
  name: "AddApiKey",
  reads: [readRecord(ApiKey, key.id)],
  decide: (view) => {
    if (view.get(ApiKey, key.id) !== undefined) {
      return Result.fail(new Refusal({ code: "state_conflict", message: "A key with this id exists; create another." }))
    }
    if (key.expiresAt !== null && key.expiresAt <= view.now)
      return Result.fail(new Refusal({ code: "invalid_request", message: "The key must expire in the future." }))
    const apiKey: ApiKey = { ...key, tenantId: view.tenant.id, createdAt: view.now, revokedAt: null }
    return Result.succeed({ changes: [putRecord(ApiKey, apiKey)], reply: apiKey })
  }
})

/** Seals a key of an earlier version, which had no seal. Refuses a key that is revoked, or has another seal (`state_conflict`). */
export const sealApiKey = (id: string, seal: string): Command<ApiKey> => ({
  name: "SealApiKey",
  reads: [readRecord(ApiKey, id)],
  decide: (view) => {
    const apiKey = view.get(ApiKey, id)
    if (apiKey === undefined) return Result.fail(new Refusal({ code: "not_found", message: "No such key." }))
    if (apiKey.seal === seal) return Result.succeed({ changes: [], reply: apiKey })
    if (apiKey.revokedAt !== null || apiKey.seal !== null) {
      const message = apiKey.revokedAt === null ? "The key has another seal: revoke it." : "The key is revoked."
      return Result.fail(new Refusal({ code: "state_conflict", message }))
    }
    const sealed = { ...apiKey, seal }
    return Result.succeed({ changes: [putRecord(ApiKey, sealed)], reply: sealed })
  }
})

/** Revokes a key for good and forgets its seal, so that nobody revives it; repeating changes nothing. Refuses with `not_found` what the tenant does not have. */
export const revokeApiKey = (id: string): Command<ApiKey> => ({
  name: "RevokeApiKey",
  reads: [readRecord(ApiKey, id)],
  decide: (view) => {
    const apiKey = view.get(ApiKey, id)
    if (apiKey === undefined) return Result.fail(new Refusal({ code: "not_found", message: "No such key." }))
    if (apiKey.revokedAt !== null) return Result.succeed({ changes: [], reply: apiKey })
    const revoked = { ...apiKey, seal: null, revokedAt: view.now }
    return Result.succeed({ changes: [putRecord(ApiKey, revoked)], reply: revoked })
  }
})
