import type { SealedKey } from "@bursar/core/port/SealedKey"

/** What a sealed key is bound to: nobody can put it in another's place. */
export const ownerOf = ({ id, kind, tenantId }: Pick<SealedKey, "tenantId" | "id" | "kind">): string =>
  `${tenantId}/${kind}/${id}`
