import type { KeyParts } from "@bursar/core/access/KeyFormat"
import { shownPrefix } from "@bursar/core/access/KeyFormat"
import type { ApiKey } from "@bursar/core/access/ApiKey"
import type { KeyObjection } from "@bursar/core/grant/keysByGrants"
import type { Tenant } from "@bursar/core/tenant/Tenant"
import { Clock, Effect, type Redacted } from "effect"
import { isSealOf } from "./keySeal.ts"
import { makeSeldom } from "./seldom.ts"

/** A key as it was read from storage, with its tenant and what grants say against it. */
export interface ReadKey {
  readonly key: ApiKey
  readonly tenant: Pick<Tenant, "id" | "kind">
  readonly objection: KeyObjection | undefined
}

/** Why a key with the right secret opens nothing: what stands in storage is not what was granted. */
export type Distrust = "unsealed" | "altered" | "environment" | KeyObjection["code"]

/** Why a key opens nothing; undefined where it does. `parts` are those of the text that was presented. */
export const distrustOf = (
  pepper: Redacted.Redacted,
  { key, objection, tenant }: ReadKey,
  parts: KeyParts
): Distrust | undefined => {
  if (key.seal === null) return "unsealed"
  if (!isSealOf(pepper, { ...key, tenantId: tenant.id, kind: tenant.kind }, key.seal)) return "altered"
  if ((parts.environment === "live") !== (tenant.kind === "LIVE")) return "environment"
  return key.prefix === shownPrefix(parts) ? objection?.code : "altered"
}

/** Says something seldom with the same fields: who has a key may call with it as often as they like. */
export const makeTeller = () => {
  const seldom = makeSeldom()
  return Effect.fnUntraced(function* (saying: Effect.Effect<void>, fields: Readonly<Record<string, string>>) {
    if (seldom(JSON.stringify(fields), yield* Clock.currentTimeMillis)) yield* Effect.annotateLogs(saying, fields)
  })
}

/** Says something seldom. */
export type Teller = ReturnType<typeof makeTeller>
