import type { KeyParts } from "@bursar/core/access/KeyFormat"
import { shownPrefix } from "@bursar/core/access/KeyFormat"
import type { ApiKey } from "@bursar/core/access/ApiKey"
import type { KeyObjection } from "@bursar/core/grant/keysByGrants"
import type { Tenant } from "@bursar/core/tenant/Tenant"
import { Clock, Effect, type Redacted } from "effect"
import { isSealOf } from "./keySeal.ts"
import { makeSeldom } from "./seldom.ts"

/** A key as it was read from storage, with its tenant, what its seal says against it, and what grants say. */
export interface ReadKey {
  readonly key: ApiKey
  readonly tenant: Pick<Tenant, "id" | "kind">
  readonly broken: BrokenSeal | undefined
  readonly objection: KeyObjection | undefined
}

/** The row of a key has no seal, or one of another row. */
export type BrokenSeal = "unsealed" | "altered"

/** Why a key with the right secret opens nothing: what stands in storage is not what was granted. */
export type Distrust = BrokenSeal | "environment" | KeyObjection["code"]

/** What is wrong with the seal of a row; undefined where it is that of the row. It is the same for as long as the row is. */
export const brokenSeal = (
  pepper: Redacted.Redacted,
  { key, tenant }: Pick<ReadKey, "key" | "tenant">
): BrokenSeal | undefined => {
  if (key.seal === null) return "unsealed"
  return isSealOf(pepper, { ...key, tenantId: tenant.id, kind: tenant.kind }, key.seal) ? undefined : "altered"
}

/** Why a key opens nothing; undefined where it does. `parts` are those of the text that was presented. */
export const distrustOf = ({ broken, key, objection, tenant }: ReadKey, parts: KeyParts): Distrust | undefined => {
  if (broken !== undefined) return broken
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
