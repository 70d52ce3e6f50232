import type { Operation } from "../operation/Operation.ts"

/** Where a withdrawal goes, as it was accepted; undefined where its details do not say. */
export const acceptedDestination = ({
  details
}: Pick<Operation, "details">): { readonly address: string; readonly memo: string | null } | undefined => {
  const stored = details["destination"]
  if (typeof stored !== "object" || stored === null || Array.isArray(stored)) return undefined
  const { address, memo } = stored as { readonly [key: string]: unknown } // what is an object and no array has keys
  return typeof address === "string" ? { address, memo: typeof memo === "string" ? memo : null } : undefined
}
