import { apiError } from "@bursar/api/errors/ApiError"
import type { Caller } from "@bursar/api/middleware/Caller"
import { addressSubject, xpubSubject } from "@bursar/core/address/AddressProof"
import type { Network } from "@bursar/core/money/Network"
import { Networks } from "@bursar/core/port/Networks"
import { Queries } from "@bursar/core/store/Queries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Result } from "effect"
import { orUnavailable, refusalError } from "../../refusals.ts"
import { findNetwork } from "../network.ts"

/** What a request names. */
export interface Named {
  readonly network: string
  readonly address?: string | null
  readonly xpub_id?: string | null
}

/** What is to be proven, and the address whose key signs for it. */
export interface Subject {
  readonly network: Network
  /** Canonical. */
  readonly address: string
  readonly xpubId: string | null
  readonly subject: string
}

/** Finds what a request means among the tenant's own addresses and extended public keys. */
export const makeFindSubject = Effect.gen(function* () {
  const networks = yield* Networks
  const queries = yield* Queries
  return Effect.fnUntraced(function* (
    { tenantId, tenantKind }: Pick<Caller["Service"], "tenantId" | "tenantKind">,
    { address, network: name, xpub_id: xpubId }: Named
  ) {
    const found = findNetwork(networks, tenantKind, name)
    if (Result.isFailure(found)) return yield* refusalError(found.failure)
    const adapter = found.success
    const { family, name: network } = adapter.traits
    if ((address == null) === (xpubId == null)) {
      return yield* apiError("invalid_request", { message: "Name either an address or an xpub_id." })
    }
    if (xpubId != null) {
      const xpubs = yield* orUnavailable(queries.xpubs(TenantId(tenantId), { network, includeRetired: true }))
      const xpub = xpubs.find(({ id }) => id === xpubId)
      if (xpub === undefined) return yield* apiError("not_found", { message: "No such xpub." })
      const [first] = yield* adapter.keys.derive(xpub.canonical, 0, 1)
      if (first === undefined) return yield* Effect.die(new Error("an account has an address at 0/0"))
      return { network, address: first.address, xpubId, subject: xpubSubject(xpubId) } satisfies Subject
    }
    const parsed = adapter.parseAddress(address ?? "")
    if (Result.isFailure(parsed)) return yield* apiError("address_invalid", { message: parsed.failure })
    const canonical = parsed.success
    return {
      network,
      address: canonical,
      xpubId: null,
      subject: addressSubject(family, canonical)
    } satisfies Subject
  })
})
