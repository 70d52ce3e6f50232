import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { type OperationKind, operationKinds } from "@bursar/core/operation/Operation"
import type { OperationQuery } from "@bursar/core/store/Queries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import { refusalError } from "../../../refusals.ts"
import { momentOrUndefined } from "../../../wire/moment.ts"
import { unknownNetwork } from "../../network.ts"
import { statusFilter } from "../../statusFilter.ts"
import { writtenHash } from "../writtenHash.ts"

/** What a request filters operations by. */
export interface AskedFilters {
  readonly tenant_id?: string
  readonly kind?: string
  readonly status?: string
  readonly unresolved?: boolean
  readonly contradicted?: "true"
  readonly waiting_reason?: string
  readonly provider?: string
  readonly network?: string
  readonly currency?: string
  readonly tx_hash?: string
  readonly created_after?: string
  readonly created_before?: string
  readonly order?: "newest" | "oldest"
}

const isKind = (text: string): text is OperationKind => operationKinds.some((kind) => kind === text)

/** A hash as its network writes it; without a network, as it was given. */
const hashOf = (given: string | undefined, network: string | undefined, { networks }: CurrencyTable) =>
  given === undefined || network === undefined ? given : writtenHash(networks, network, given)

/** Which operations a request asks for, or why it asks for none. */
export const readFilters = Effect.fnUntraced(function* (
  asked: AskedFilters,
  currencies: CurrencyTable
): Effect.fn.Return<Omit<OperationQuery, "after" | "limit">, ApiError> {
  const { kind, network, order = "newest" } = asked
  if (kind !== undefined && !isKind(kind)) return yield* apiError("unknown_kind")
  if (network !== undefined && !currencies.networks.has(network)) return yield* refusalError(unknownNetwork(network))
  return {
    tenantId: asked.tenant_id === undefined ? undefined : TenantId(asked.tenant_id),
    kinds: kind === undefined ? undefined : [kind],
    status: yield* statusFilter(asked.status),
    unresolved: asked.unresolved,
    contradicted: asked.contradicted === undefined ? undefined : true,
    waitingReason: asked.waiting_reason,
    provider: asked.provider,
    network,
    currency: asked.currency,
    txHash: hashOf(asked.tx_hash, network, currencies),
    since: momentOrUndefined(asked.created_after),
    until: momentOrUndefined(asked.created_before),
    order
  }
})
