import { RandomBytes } from "@bursar/core/engine/Ids"
import type { SecretBox } from "@bursar/core/port/SecretBox"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Redacted } from "effect"

const secretBytes = 32

/** A new webhook secret, `whsec_` and base64 of 32 random bytes: as it is shown once, and as it is stored, sealed for its tenant. */
export const makeSecret = (box: SecretBox["Service"], tenantId: TenantId) =>
  Effect.gen(function* () {
    const randomBytes = yield* RandomBytes
    const secret = Redacted.make(`whsec_${Buffer.from(randomBytes(secretBytes)).toString("base64")}`)
    return { secret, sealed: yield* box.seal(tenantId, secret) }
  })
