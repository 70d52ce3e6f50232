import type { ApiKey } from "../access/ApiKey.ts"
import { toIso } from "../base/Timestamp.ts"
import { canonicalText } from "./canonical.ts"
import type { GrantValues } from "./GrantDocument.ts"
import { grantedEnvironment } from "./environmentByGrants.ts"
import type { VerifiedChains } from "./Grants.ts"
import { granted } from "./GrantState.ts"
import type { Ruling } from "./Ruling.ts"
import { chainsObjection, grantedSigningKeys } from "./signingByGrants.ts"
import type { SigningKey } from "../signature/SigningKey.ts"
import type { Tenant } from "../tenant/Tenant.ts"

/** A key as it stands in storage, with its tenant. */
export interface StoredKey {
  readonly key: Pick<ApiKey, "expiresAt" | "hash" | "id" | "label" | "prefix" | "scopes">
  readonly tenant: Pick<Tenant, "kind">
}

/** A key as a grant says it. */
export const apiKeyValues = ({ key, tenant }: StoredKey): GrantValues<"api_key"> => ({
  id: key.id,
  environment: tenant.kind,
  prefix: key.prefix,
  label: key.label,
  scopes: key.scopes.toSorted(),
  expires_at: key.expiresAt === null ? null : toIso(key.expiresAt),
  hash: key.hash,
  state: "ACTIVE"
})

/** What a grant says of a key, as it is stored. */
export const keyOfValues = ({ expires_at: expiresAt, hash, id, label, prefix, scopes }: GrantValues<"api_key">) => ({
  id,
  label,
  prefix,
  hash,
  scopes,
  expiresAt: expiresAt === null ? null : Date.parse(expiresAt)
})

/** Whether a stored key is exactly what a grant says. */
export const isGrantedKey = (values: GrantValues<"api_key">, stored: StoredKey): boolean =>
  canonicalText({ ...values, scopes: values.scopes.toSorted() }) === canonicalText(apiKeyValues(stored))

/** Why a key opens nothing by what is granted. */
export interface KeyObjection {
  /** Whether it is the chains that cannot be gone by, and not the key. */
  readonly code: "ungranted" | "altered" | "unverified"
  readonly reason: string
}

/**
 * The environment of a tenant whose keys are those that are granted; undefined where rows decide about them. They do until the tenant's policy is
 * granted: nothing leaves before that, and a service that begins with grants has its keys granted first.
 */
const decided = ({ tenant }: VerifiedChains) => grantedEnvironment(tenant)

/** Why an API key opens nothing; undefined where it may, and where rows decide. */
export const keyObjection = (ruling: Ruling, stored: StoredKey): KeyObjection | undefined => {
  if (ruling === undefined) return undefined
  if ("_tag" in ruling) return { code: "unverified", reason: ruling.message }
  const environment = decided(ruling)
  if (environment === undefined) return undefined
  const unusable = chainsObjection(ruling)
  if (unusable !== undefined) return { code: "unverified", reason: unusable }
  const { id } = stored.key
  const values = granted(ruling.tenant, "api_key", id)?.values
  if (values === undefined) return { code: "ungranted", reason: "it is in no grant" }
  if (values.state === "REVOKED") return { code: "ungranted", reason: "its grant was revoked" }
  return environment === stored.tenant.kind && isGrantedKey(values, stored)
    ? undefined
    : { code: "altered", reason: "its row, or its tenant's, is not what was granted" }
}

/** Whether requests may be signed with a key as it stands in storage: it is granted, or rows decide. */
export const maySign = (ruling: Ruling, { apiKeyId, keyid, publicKey }: SigningKey): boolean => {
  if (ruling === undefined) return true
  if ("_tag" in ruling || chainsObjection(ruling) !== undefined) return false
  return (
    decided(ruling) === undefined ||
    grantedSigningKeys(ruling.tenant).some(
      (one) => one.apiKeyId === apiKeyId && one.keyid === keyid && one.publicKey === publicKey
    )
  )
}
