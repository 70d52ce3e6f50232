import { apiError } from "@bursar/api/errors/ApiError"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { Operator } from "@bursar/api/operator/Operator"
import { digestParam } from "@bursar/core/checker/destinationLog"
import type { Command } from "@bursar/core/engine/Command"
import { Refusal } from "@bursar/core/base/Refusal"
import { Writer } from "@bursar/core/engine/Writer"
import { readMemo } from "@bursar/core/payout/readMemo"
import { adapterOf, Networks, parseAddress } from "@bursar/core/port/Networks"
import { Queries } from "@bursar/core/store/Queries"
import { Tenants } from "@bursar/core/port/Tenants"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { assetObjection } from "@bursar/core/destination/assetObjection"
import { Destination } from "@bursar/core/destination/Destination"
import { destinationStateByGrants } from "@bursar/core/grant/destinationByGrants"
import { rulingOf } from "@bursar/core/grant/Ruling"
import { destinationDigest } from "@bursar/core/destination/destinationDigest"
import {
  type DestinationProposal,
  notAsSeen,
  proposeDestination,
  rejectDestination,
  verifyDestination
} from "@bursar/core/destination/destinationCommands"
import { Clock, Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { orUnavailable, refusalError, submit } from "../../../refusals.ts"
import { noteAction } from "../../../middleware/actionNotes.ts"
import { findTenant } from "../found.ts"
import { aloneHere } from "../grants/alone.ts"
import { freshId } from "../grants/freshId.ts"
import { destinationValues } from "./destinationValues.ts"
import { simulateFee } from "./simulateFee.ts"
import { destinationToWire } from "./toWire.ts"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { ProposeDestination } from "@bursar/api/operator/OperatorCustody"
import { withdrawalsWaiting } from "./withdrawalsWaiting.ts"
import { createFeeRule, feeRules, retireFeeRule } from "./feeRules.ts"

const options = { uninterruptible: true }

/** What a destination is proposed with, its address and memo read; refused where one of them is none. */
const proposalOf = Effect.fnUntraced(function* (
  { currencies, networks }: { readonly currencies: CurrencyTable; readonly networks: Networks["Service"] },
  { address, currency: code, label, memo = null }: typeof ProposeDestination.Type
) {
  const asset = currencies.byCode(code)?.asset
  if (asset === undefined || asset === null) return yield* apiError("unsupported_asset")
  const { network } = asset
  const canonical = parseAddress(networks, network, address)
  if (Result.isFailure(canonical))
    return yield* refusalError(new Refusal({ code: "address_invalid", message: canonical.failure }))
  const adapter = adapterOf(networks, network)
  const lost = assetObjection(adapter, currencies, canonical.success)
  if (lost !== undefined) return yield* refusalError(new Refusal({ code: "address_invalid", message: lost }))
  const read = readMemo(adapter, canonical.success, memo)
  if (Result.isFailure(read)) return yield* refusalError(read.failure)
  return { currency: code, network, address: canonical.success, memo, label }
})

/** Where tenants withdraw to, and what they are charged. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "custody",
  Effect.fnUntraced(function* (handlers) {
    const writer = yield* Writer
    const queries = yield* Queries
    const tenants = yield* Tenants
    const networks = yield* Networks
    const { currencies } = yield* ServerConfig
    const alone = yield* aloneHere

    /** The destinations of a tenant, and how each is shown now. */
    const standings = Effect.fnUntraced(function* (tenantId: TenantId) {
      const all = yield* orUnavailable(queries.records(tenantId, Destination))
      const ruling = yield* orUnavailable(rulingOf(tenantId))
      const now = yield* Clock.currentTimeMillis
      const waitingFor = yield* withdrawalsWaiting(queries, tenantId)
      const show = (one: Destination) =>
        destinationToWire(one, destinationStateByGrants(ruling, one, { all, now }), waitingFor(one))
      return { all, show }
    })

    /** Decides on a destination, does what follows from it, whether or not it can be shown then, and shows it. */
    const decided = Effect.fnUntraced(function* (
      tenant: string,
      command: Command<Destination>,
      follow: (destination: Destination) => Effect.Effect<void, never, Operator> = () => Effect.void
    ) {
      const tenantId = TenantId(tenant)
      const destination = yield* submit(writer, tenantId, command)
      yield* follow(destination)
      return (yield* standings(tenantId)).show(destination)
    })

    /** Refuses where grants say where tenants withdraw to. */
    const refuse = Effect.fnUntraced(function* (
      tenantId: TenantId,
      named: Omit<DestinationProposal, "by"> & { readonly id: string }
    ) {
      if (!alone.byGrants) return
      const tenant = yield* findTenant(tenants, tenantId)
      const values = yield* orUnavailable(Effect.provideService(destinationValues(tenant, named), Queries, queries))
      yield* alone.refuse({ kind: "destination", values }, tenantId)
    })

    return handlers.handleAll({
      simulateFee: yield* simulateFee,
      proposeDestination: {
        options,
        handler: Effect.fnUntraced(function* ({ params, payload }) {
          const { name } = yield* Operator
          const proposal = yield* proposalOf({ networks, currencies }, payload)
          yield* refuse(TenantId(params.tenant_id), { ...proposal, id: yield* freshId })
          return yield* decided(params.tenant_id, proposeDestination({ ...proposal, by: name }))
        })
      },
      destinations: Effect.fnUntraced(function* ({ params }) {
        const { id } = yield* findTenant(tenants, params.tenant_id)
        const { all, show } = yield* standings(id)
        return { destinations: all.map(show) }
      }),
      verifyDestination: {
        options,
        handler: Effect.fnUntraced(function* ({ params, payload: { address, currency, memo = null } }) {
          const { name } = yield* Operator
          const tenantId = TenantId(params.tenant_id)
          const found = yield* orUnavailable(queries.record(tenantId, Destination, params.destination_id))
          if (found === undefined) return yield* apiError("not_found")
          // of the currency alone: what stands in the row beside it may have been exchanged, too
          const network = currencies.byCode(currency)?.asset?.network ?? ""
          const canonical = parseAddress(networks, network, address)
          const seen = { currency, network, memo, address: Result.getOrElse(canonical, () => address) }
          const other = notAsSeen(found, seen)
          if (other !== undefined) return yield* refusalError(other)
          yield* refuse(tenantId, found)
          const command = verifyDestination(params.destination_id, name, seen)
          return yield* decided(params.tenant_id, command, (verified) =>
            Effect.flatMap(destinationDigest(verified), (digest) => noteAction({ [digestParam]: digest }))
          )
        })
      },
      rejectDestination: {
        options,
        handler: Effect.fnUntraced(function* ({ params, payload }) {
          const { destination_id: id, tenant_id: tenant } = params
          return yield* decided(tenant, rejectDestination(id, payload.reason), () =>
            alone.lowered(TenantId(tenant), { _tag: "DestinationRejected", id })
          )
        })
      },
      createFeeRule: { options, handler: yield* createFeeRule },
      feeRules: yield* feeRules,
      retireFeeRule: { options, handler: yield* retireFeeRule }
    })
  })
)
