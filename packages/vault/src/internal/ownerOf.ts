import type { SealedKey } from "@bursar/core/address/ImportedKey"

/** What a sealed key is bound to: nobody can put it in another's place. */
export const ownerOf = ({ id, kind, tenantId }: Pick<SealedKey, "tenantId" | "id" | "kind">): string =>
  `${tenantId}/${kind}/${id}`
