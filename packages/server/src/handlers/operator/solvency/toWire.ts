import type { OperatorSnapshot } from "@bursar/api/operator/OperatorSolvency"
import type { SolvencySnapshot } from "@bursar/api/solvency/SolvencySnapshot"
import { toIso } from "@bursar/core/base/Timestamp"
import type { SolvencyLeaf, StoredSnapshot } from "@bursar/core/solvency/SolvencyStore"

/** A snapshot in a list. */
export const toWire = (
  { environment, id, published, takenAt, takenBy }: StoredSnapshot,
  { digest, summary }: SolvencySnapshot
): OperatorSnapshot => ({
  id,
  environment,
  taken_at: toIso(takenAt),
  taken_by: takenBy,
  published_at: published === null ? null : toIso(published.at),
  published_by: published?.by ?? null,
  digest,
  covered: summary.every(({ covered }) => covered),
  summary
})

/** A leaf as a line of the private file. */
export const leafLine = ({ currency, index, posting, salt, tenantId, units }: SolvencyLeaf): string =>
  `${JSON.stringify({ currency, index, tenant_id: tenantId, units: String(units), salt, posting })}\n`
