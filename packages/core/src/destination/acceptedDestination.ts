import type { Operation } from "../operation/Operation.ts"

/** Where a withdrawal goes, as it was accepted; undefined where its details do not say. */
export const acceptedDestination = ({
  details: { destination }
}: Pick<Operation, "details">): { readonly address: string; readonly memo: string | null } | undefined =>
  destination && { address: destination.address, memo: destination.memo ?? null }
