import { Effect, Predicate } from "effect"
import type { OperatorAudit } from "../port/OperatorAudit.ts"
import type { StorageError } from "../engine/StorageError.ts"
import type { AuditRecord } from "../audit/AuditRecord.ts"
import { namedIds } from "../audit/namedIds.ts"
import { isLastPage, type NumberedRow } from "./readNumbered.ts"
import { recordsAfter } from "./verifyChain.ts"

/** The parameter under which the record of a verification keeps `destinationDigest`. */
export const digestParam = "digest"

/** The parameter under which the record of the action that appended a grant keeps what stands for that grant. */
export const grantParam = "granted_by"

/** By which routes a grant is appended: with its last approval, or with all of them at once. */
const grantRoutes = ["/grants/chains/:chain/proposals/:proposal_id/approve", "/grants/chains/:chain/entries"]

const routeOf = (action: "reject" | "verify"): string => `/tenants/:tenant_id/destinations/:destination_id/${action}`

/** What the log of operators' actions says of one destination. */
export interface LoggedDestination {
  /** Who verified it; undefined where nobody did. */
  readonly verifiedBy?: string
  /** The digest of what was verified; undefined where that was before the log kept it. */
  readonly digest?: string
  readonly rejected: boolean
}

/** What the log says of destinations, by tenant and id (`destinationLogKey`). */
export type DestinationLog = ReadonlyMap<string, LoggedDestination>

/** The key of a destination in a `DestinationLog`. */
export const destinationLogKey = (tenantId: string, destinationId: string): string => `${tenantId}|${destinationId}`

const isDone = ({ status }: AuditRecord): boolean => status !== null && status >= 200 && status < 300

const recordsPerRead = 1_000

/** Reads from the log of operators' actions which destinations were verified and rejected. */
export const readDestinationLog = Effect.fn("audit.readDestinationLog")(function* (): Effect.fn.Return<
  DestinationLog,
  StorageError,
  OperatorAudit
> {
  const log = new Map<string, LoggedDestination>()
  let last = 0
  while (true) {
    const rows: ReadonlyArray<NumberedRow<AuditRecord>> = yield* recordsAfter(last, recordsPerRead)
    for (const { number, row: record } of rows) {
      last = number
      // one that was changed says nothing: the check of the chain names it
      if (record === undefined || !Predicate.isObject(record.params)) continue
      const {
        tenant_id: tenantId,
        destination_id: destinationId,
        [digestParam]: digest,
        [grantParam]: grantedBy
        // versions before this one wrote paths down as they were asked for
      } = namedIds(record.params)
      const isGrant = grantRoutes.some((route) => record.route.endsWith(route))
      if (!isDone(record) || tenantId === undefined || destinationId === undefined) continue
      const key = destinationLogKey(tenantId, destinationId)
      const before = log.get(key) ?? { rejected: false }
      // a grant that names no digest has revoked it
      if (record.route.endsWith(routeOf("reject")) || (isGrant && digest === undefined))
        log.set(key, { ...before, rejected: true })
      // it is verified once: what says so again is no record of it
      if (before.verifiedBy !== undefined) continue
      const verifiedBy = isGrant ? grantedBy : record.operator
      if ((isGrant ? digest !== undefined : record.route.endsWith(routeOf("verify"))) && verifiedBy !== undefined)
        log.set(key, { ...before, verifiedBy, ...(digest === undefined ? {} : { digest }) })
    }
    if (isLastPage(rows, recordsPerRead)) return log
  }
})
