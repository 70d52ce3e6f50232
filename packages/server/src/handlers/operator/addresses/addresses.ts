import { apiError } from "@bursar/api/errors/ApiError"
import { OperatorApi } from "@bursar/api/OperatorApi"
import type { KeyConflict as WireKeyConflict } from "@bursar/api/operator/KeyConflict"
import type { KeyConflict, KeyConflictPlace } from "@bursar/core/address/KeyConflict"
import { holdByOperator, releaseByOperator } from "@bursar/core/sweep/sweepHold"
import { toIso } from "@bursar/core/base/Timestamp"
import { Writer } from "@bursar/core/engine/Writer"
import { Queries } from "@bursar/core/store/Queries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { orUnavailable, submit } from "../../../refusals.ts"
import { momentOrUndefined } from "../../../wire/moment.ts"
import { addressContext, toWire } from "../../addresses/toWire.ts"
import { type PagedList, pagesOf } from "../pages.ts"
import { intake } from "./intake.ts"
import { prepareIssuing } from "./prepareIssuing.ts"

const options = { uninterruptible: true }

const conflictToWire = ({ foundAt, id, keptBy, network, tenantId, text, what }: KeyConflict): WireKeyConflict => ({
  what,
  tenant_id: tenantId,
  id,
  network,
  text,
  kept_by: keptBy,
  found_at: toIso(foundAt)
})

const pagedConflicts: PagedList<KeyConflict, KeyConflictPlace> = {
  name: "key conflicts",
  write: ({ foundAt, id, tenantId }) => [`${foundAt}`, tenantId, id],
  read: ([foundAt, tenantId = "", id = ""]) => ({ foundAt: Number(foundAt), tenantId: TenantId(tenantId), id })
}

/** The operators' holds on deposit addresses, and what lost its key to another tenant. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "addresses",
  Effect.fnUntraced(function* (handlers) {
    const writer = yield* Writer
    const queries = yield* Queries
    const context = yield* addressContext
    const conflicts = yield* pagesOf(pagedConflicts)
    const { endScan, list, reorged, scan, scans, xpubs } = yield* intake
    return handlers.handleAll({
      list,
      get: Effect.fnUntraced(function* ({ params }) {
        const found = yield* orUnavailable(queries.address(TenantId(params.tenant_id), params.address_id))
        return found === undefined ? yield* apiError("not_found") : toWire(found, context)
      }),
      xpubs,
      reorged,
      scan: { handler: scan, options },
      scans,
      endScan: { handler: endScan, options },
      keyConflicts: ({ query }) =>
        Effect.map(
          conflicts({ ...query, filters: {} }, (after, limit) => orUnavailable(queries.keyConflicts({ after, limit }))),
          ({ next, page }) => ({ conflicts: page.map(conflictToWire), next_cursor: next })
        ),
      prepareIssuing: { handler: yield* prepareIssuing, options },
      hold: {
        handler: ({ params, payload }) =>
          Effect.map(
            submit(writer, TenantId(params.tenant_id), holdByOperator(params.address_id, payload.reason)),
            (address) => toWire(address, context)
          ),
        options
      },
      release: {
        handler: ({ params, query }) =>
          Effect.map(
            submit(
              writer,
              TenantId(params.tenant_id),
              releaseByOperator(params.address_id, momentOrUndefined(query.held_at))
            ),
            (address) => toWire(address, context)
          ),
        options
      }
    })
  })
)
