import { SigningKey } from "@bursar/core/signature/SigningKey"
import { compareText } from "./byAge.ts"
import { recordsOf, type TenantRecords } from "./Store.ts"

/** The signing keys of a tenant, oldest first. */
export const signingKeysOf = (tenant: TenantRecords): ReadonlyArray<SigningKey> =>
  [...recordsOf(tenant, SigningKey).values()].toSorted(
    (one, other) =>
      one.createdAt - other.createdAt ||
      compareText(SigningKey.text(SigningKey.key(one)), SigningKey.text(SigningKey.key(other)))
  )
