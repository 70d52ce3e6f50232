import { Effect, Option, Result } from "effect"
import type { StorageError } from "../engine/StorageError.ts"
import { allGranted, grantedPolicy, type TenantState } from "../grant/GrantState.ts"
import type { Ruling } from "../grant/Ruling.ts"
import { chainsObjection } from "../grant/signingByGrants.ts"
import { type Registered, SignedRegistrations } from "../port/SignedRegistrations.ts"
import type { SigningKey } from "../signature/SigningKey.ts"
import { SignedRegistration } from "../signature/SignedRegistration.ts"
import type { Queries } from "../store/Queries.ts"
import type { SignedProduct, TenantId } from "../tenant/Tenant.ts"

/** By what the registrations of a tenant are judged. */
export type RegistrationRule =
  /** The rows say what is registered: there is no root of grants, or the granted policy demands no signature. */
  | { readonly _tag: "Rows" }
  /** Nothing may be gone by. */
  | { readonly _tag: "Unusable"; readonly reason: string }
  /** What one of these keys has signed is registered, and nothing else. */
  | { readonly _tag: "Signed"; readonly signingKeys: ReadonlyArray<SigningKey> }

/** Every key of the partner that was ever granted, with when its revocation was proposed: that moment is part of what people have signed. */
const everGranted = (tenant: TenantState): ReadonlyArray<SigningKey> =>
  allGranted(tenant, "signing_key").map(({ document, values }) => ({
    tenantId: tenant.tenantId,
    apiKeyId: values.api_key_id,
    keyid: values.keyid,
    publicKey: values.public_key,
    createdAt: 0,
    revokedAt: values.state === "REVOKED" ? Date.parse(document.proposed_at) : null
  }))

/**
 * Whether rows say what a tenant has registered, or its signed requests do. Without a product: as if the granted policy demanded signatures, as it
 * may do tomorrow.
 */
export const registrationRule = (ruling: Ruling, product?: SignedProduct): RegistrationRule => {
  if (ruling === undefined) return { _tag: "Rows" }
  if ("_tag" in ruling) return { _tag: "Unusable", reason: ruling.message }
  const reason = chainsObjection(ruling)
  if (reason !== undefined) return { _tag: "Unusable", reason }
  return product === undefined || grantedPolicy(ruling.tenant)?.signaturesRequired.includes(product) === true
    ? { _tag: "Signed", signingKeys: everGranted(ruling.tenant) }
    : { _tag: "Rows" }
}

/** A registration that is looked for. */
export interface KeptRegistration {
  readonly queries: Queries["Service"]
  readonly tenantId: TenantId
  readonly id: string
  readonly signingKeys: ReadonlyArray<SigningKey>
}

/** How many requests are remembered as verified: one may register a thousand addresses. */
const rememberedMax = 100

/** Reads kept requests, and remembers what was verified. */
export const makeRegistrations = () => {
  const known = new Map<string, Registered>()
  /** What a kept request registers, or in words why it counts for nothing. */
  return Effect.fnUntraced(function* ({
    id,
    queries,
    signingKeys,
    tenantId
  }: KeptRegistration): Effect.fn.Return<Result.Result<Registered, string>, StorageError> {
    const name = JSON.stringify([tenantId, id, signingKeys.map(({ publicKey, revokedAt }) => [publicKey, revokedAt])])
    const there = known.get(name)
    if (there !== undefined) return Result.succeed(there)
    const kept = yield* queries.record(tenantId, SignedRegistration, id)
    if (kept === undefined) return Result.fail("no signed request is kept that registered it")
    const verifier = yield* Effect.serviceOption(SignedRegistrations)
    if (Option.isNone(verifier)) return Result.fail("nothing here can verify what the partner has signed")
    const read = yield* verifier.value.read({ evidence: kept, signingKeys })
    if (Result.isFailure(read)) return read
    if (known.size >= rememberedMax) known.clear()
    known.set(name, read.success)
    return read
  })
}
