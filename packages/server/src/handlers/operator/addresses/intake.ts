import { apiError } from "@bursar/api/errors/ApiError"
import { listLimits } from "@bursar/api/wire/QueryParameters"
import { Operator } from "@bursar/api/operator/Operator"
import type { EndScan, OperatorScan, ScanAddress } from "@bursar/api/operator/OperatorScan"
import type { Backfill } from "@bursar/core/address/DepositAddress"
import { scanAddress, type ScanStart } from "@bursar/core/address/scanAddress"
import { toIso } from "@bursar/core/base/Timestamp"
import { isUuid } from "@bursar/core/base/uuid"
import { Writer } from "@bursar/core/engine/Writer"
import { Networks } from "@bursar/core/port/Networks"
import { Tenants } from "@bursar/core/port/Tenants"
import { Queries } from "@bursar/core/store/Queries"
import { type BackfillJob, WatchState } from "@bursar/core/store/WatchState"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect } from "effect"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { orUnavailable, submit, writing } from "../../../refusals.ts"
import { momentOf } from "../../../wire/moment.ts"
import { canonicalAddress } from "../../addresses/list.ts"
import { addressContext, toWire } from "../../addresses/toWire.ts"
import { toWire as depositToWire } from "../../deposits/toWire.ts"
import { toWire as xpubToWire } from "../../depositKeys/toWire.ts"
import { findTenant, invalidField } from "../found.ts"

interface OfTenant {
  readonly params: { readonly tenant_id: string }
}

interface AddressesAsked extends OfTenant {
  readonly query: {
    readonly network?: string
    readonly reference?: string
    readonly address?: string
    readonly include_retired?: boolean
    readonly after?: string
    readonly limit?: number
  }
}

type ScanPlace = Pick<BackfillJob, "createdAt" | "id">

interface ScanParams {
  readonly tenant_id: string
  readonly address_id: string
}

/** The place of a reading among all, oldest first: after which one the next page goes on. */
const writePlace = ({ createdAt, id }: ScanPlace): string => `${createdAt}.${id}`

const readPlace = (text: string): ScanPlace | undefined => {
  const [, createdAt, id] = /^(\d{1,15})\.(.+)$/u.exec(text) ?? []
  return createdAt === undefined || id === undefined || !isUuid(id) ? undefined : { createdAt: Number(createdAt), id }
}

const inOrder = (one: ScanPlace, other: ScanPlace): number =>
  one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1)

const scanToWire = (
  { addresses, createdAt, fromBlock, fromTime, id, network, tenantId }: Backfill,
  { ended = null, lastBlock = null, nextBlock = null, problem = null }: Partial<BackfillJob> = {}
): OperatorScan => ({
  id,
  tenant_id: tenantId,
  network,
  addresses,
  from: toIso(fromTime),
  from_block: fromBlock,
  next_block: nextBlock,
  last_block: lastBlock,
  problem,
  ended: ended === null ? null : { by: ended.by, reason: ended.reason, at: toIso(ended.at) },
  created_at: toIso(createdAt)
})

/** From where on to read, as it was asked for: a moment or a block. */
const startOf = ({ from, from_block: block }: typeof ScanAddress.Type): ScanStart | undefined => {
  if (from !== undefined) return block === undefined ? { _tag: "Moment", at: momentOf(from) } : undefined
  return block === undefined ? undefined : { _tag: "Block", number: block }
}

/** The addresses and keys of tenants, what left the chain, and reading the past again. */
export const intake = Effect.gen(function* () {
  const queries = yield* Queries
  const tenants = yield* Tenants
  const writer = yield* Writer
  const watching = yield* WatchState
  const networks = yield* Networks
  const context = yield* addressContext
  const { currencies } = yield* ServerConfig
  /** Refuses a block that the watcher has not come to: there is nothing of the past from there on. */
  const refuseUnread = Effect.fnUntraced(function* (
    { address_id: id, tenant_id: tenantId }: ScanParams,
    block: number
  ) {
    const address = yield* orUnavailable(queries.address(TenantId(tenantId), id))
    const statuses = yield* orUnavailable(watching.statuses)
    const read = statuses.find(({ network }) => network === address?.network)?.cursor?.number
    if (read !== undefined && block > read)
      yield* invalidField(
        "from_block",
        `The network has been read up to block ${read}; what comes after is read anyway.`
      )
  })
  return {
    list: Effect.fnUntraced(function* ({ params, query }: AddressesAsked) {
      const { id } = yield* findTenant(tenants, params.tenant_id)
      const { after, include_retired: includeRetired = false, network, reference } = query
      if (network !== undefined && !context.networks.has(network)) return yield* apiError("unknown_network")
      const limit = query.limit ?? listLimits.operatorLists.default
      const address = query.address === undefined ? undefined : canonicalAddress(networks, network, query.address)
      if (after !== undefined && (yield* orUnavailable(queries.address(id, after))) === undefined)
        return yield* apiError("invalid_cursor")
      const found = yield* orUnavailable(
        queries.addresses(id, { network, reference, address, includeRetired, after, limit: limit + 1 })
      )
      const page = found.slice(0, limit)
      return {
        addresses: page.map((one) => toWire(one, context)),
        next_after: found.length > limit ? (page.at(-1)?.id ?? null) : null
      }
    }),
    xpubs: Effect.fnUntraced(function* ({ params }: OfTenant) {
      const { id } = yield* findTenant(tenants, params.tenant_id)
      return { xpubs: (yield* orUnavailable(queries.xpubs(id, { includeRetired: true }))).map(xpubToWire) }
    }),
    reorged: Effect.fnUntraced(function* ({
      params,
      query: { limit = listLimits.operatorLists.default }
    }: OfTenant & { readonly query: { readonly limit?: number } }) {
      const { id } = yield* findTenant(tenants, params.tenant_id)
      const found = yield* orUnavailable(queries.reorgedDeposits(id, limit))
      const heights = yield* orUnavailable(queries.heights)
      return { deposits: found.map((deposit) => depositToWire(deposit, currencies, heights)) }
    }),
    scan: Effect.fnUntraced(function* ({
      params,
      payload
    }: {
      readonly params: ScanParams
      readonly payload: typeof ScanAddress.Type
    }) {
      const start = startOf(payload)
      if (start === undefined) return yield* invalidField("from", "Expected either `from` or `from_block`.")
      if (start._tag === "Block") yield* refuseUnread(params, start.number)
      return scanToWire(yield* submit(writer, TenantId(params.tenant_id), scanAddress(params.address_id, start)))
    }),
    scans: Effect.fnUntraced(function* ({
      query: { cursor, ended = false, limit = listLimits.operatorLists.default }
    }: {
      readonly query: { readonly cursor?: string; readonly ended?: boolean; readonly limit?: number }
    }) {
      const place = cursor === undefined ? undefined : readPlace(cursor)
      if (cursor !== undefined && place === undefined) return yield* apiError("invalid_cursor")
      const jobs = yield* Effect.forEach(networks.enabled, (network) =>
        orUnavailable(
          ended
            ? watching.endedBackfills(network, listLimits.operatorLists.maximum)
            : watching.backfills(network, limit + 1, place)
        )
      )
      const found = ended ? jobs.flat() : jobs.flat().toSorted(inOrder)
      const page = ended ? found : found.slice(0, limit)
      const last = page.at(-1)
      return {
        scans: page.map((job) => scanToWire(job, job)),
        next_cursor: last === undefined || found.length === page.length ? null : writePlace(last)
      }
    }),
    endScan: Effect.fnUntraced(function* ({
      params: { scan_id: id, tenant_id },
      payload: { next_block: nextBlock, reason }
    }: {
      readonly params: { readonly tenant_id: string; readonly scan_id: string }
      readonly payload: typeof EndScan.Type
    }) {
      const { name: by } = yield* Operator
      const at = yield* Clock.currentTimeMillis
      const job = { id, nextBlock, tenantId: TenantId(tenant_id) }
      const ended = yield* writing(watching.endBackfill(job, { by, reason, at }))
      if (ended !== undefined) return scanToWire(ended, ended)
      return yield* apiError("state_conflict", {
        message:
          "There is no such reading that stands there: it has gone on, is finished, or was ended. Look at the list."
      })
    })
  }
})
