import type { SigningKey } from "@bursar/core/signature/SigningKey"
import { compareText } from "./byAge.ts"
import { signingKeyKey, type TenantRecords } from "./Store.ts"

/** The signing keys of a tenant, oldest first. */
export const signingKeysOf = ({ signingKeys }: TenantRecords): ReadonlyArray<SigningKey> =>
  [...signingKeys.values()].toSorted(
    (one, other) => one.createdAt - other.createdAt || compareText(signingKeyKey(one), signingKeyKey(other))
  )
