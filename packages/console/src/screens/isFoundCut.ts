import { foundMax, type Found } from "@bursar/api/operator/SearchGroup"

/** Whether a search may have found more than it gives: as many operations or as many addresses as it gives at most. */
export const isFoundCut = (found: ReadonlyArray<Pick<Found, "address_id" | "operation_id">>): boolean =>
  (["operation_id", "address_id"] as const).some((id) => found.filter((one) => one[id] !== null).length >= foundMax)
