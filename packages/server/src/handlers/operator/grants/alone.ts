import type { ApiError } from "@bursar/api/errors/ApiError"
import { Operator } from "@bursar/api/operator/Operator"
import { setTenantPolicy } from "@bursar/core/access/tenantCommands"
import type { Command } from "@bursar/core/engine/Command"
import { Writer } from "@bursar/core/engine/Writer"
import type { GrantProposal } from "@bursar/core/grant/Grant"
import type { GrantKind, KindAndValues } from "@bursar/core/grant/GrantDocument"
import { onChain } from "@bursar/core/grant/grantCommands"
import { Grants } from "@bursar/core/grant/Grants"
import { granted, type Granted } from "@bursar/core/grant/GrantState"
import { GrantStore } from "@bursar/core/grant/GrantStore"
import { grantRequired, lowerTenantPolicy } from "@bursar/core/granting/grantRequired"
import { type Lowered, loweredGrants } from "@bursar/core/granting/lowered"
import { Networks } from "@bursar/core/port/Networks"
import { Queries } from "@bursar/core/store/Queries"
import type { Tenant, TenantId, TenantPolicy } from "@bursar/core/tenant/Tenant"
import { Effect, Option } from "effect"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { grantMeans } from "../../../keys/grantMeans.ts"
import { refusalError } from "../../../refusals.ts"
import { providerPlaces } from "../providerPlaces.ts"
import { expiresInHoursDefault, propose } from "./change.ts"
import { knownChain, orBroken } from "./chains.ts"
import { leaveLowering, orUnproposed } from "./lowerings.ts"

/** What an operator may do alone: all of it where the service has no root of grants. */
export interface Alone {
  /** Whether the service goes by grants, and what raises a risk takes one. */
  readonly byGrants: boolean
  /** Refuses what takes a grant of these values. */
  readonly refuse: (content: KindAndValues, chain: TenantId | null) => Effect.Effect<void, ApiError>
  /** The grant that holds for a subject of a tenant's; undefined where there is none. */
  readonly granted: <K extends GrantKind>(
    tenantId: TenantId,
    kind: K,
    subject: string
  ) => Effect.Effect<Granted<K> | undefined, ApiError>
  /** Changes settings of a tenant as its chain is now. Where that cannot be read, or goes on meanwhile, what lowers holds all the same. */
  readonly changePolicy: (tenantId: TenantId, patch: Partial<TenantPolicy>) => Effect.Effect<Command<Tenant>>
  /** Proposes a grant of these values, for what cannot be asked for twice; undefined where none is taken. */
  readonly propose: (
    content: KindAndValues,
    chain: TenantId | null
  ) => Effect.Effect<GrantProposal | undefined, ApiError, Operator>
  /**
   * Leaves a proposal of what an operator has lowered, so that one approver makes the chain say it, too. It holds without that: where the proposal
   * cannot be made, that is logged.
   */
  readonly lowered: (chain: TenantId | null, what: Lowered) => Effect.Effect<void, never, Operator>
}

/** What an operator may do alone here. */
export const aloneHere = Effect.gen(function* () {
  const found = yield* Effect.serviceOption(Grants)
  if (Option.isNone(found)) {
    const free: Alone = {
      byGrants: false,
      refuse: () => Effect.void,
      granted: () => Effect.succeed(undefined),
      changePolicy: (_, patch) => Effect.succeed(setTenantPolicy(patch)),
      propose: () => Effect.succeed(undefined),
      lowered: () => Effect.void
    }
    return free
  }
  const means = grantMeans(yield* ServerConfig)
  const services = {
    grants: found.value,
    store: yield* GrantStore,
    writer: yield* Writer,
    networks: yield* Networks,
    queries: yield* Queries,
    isPlace: yield* providerPlaces,
    ...means
  }
  const bound: Alone = {
    byGrants: true,
    refuse: (content, chain) => refusalError(grantRequired(content, chain)),
    granted: (tenantId, kind, subject) =>
      Effect.map(orBroken(services.grants.stateOf(tenantId)), ({ tenant }) => granted(tenant, kind, subject)),
    changePolicy: (tenantId, patch) => {
      const after = lowerTenantPolicy(patch, "unreadable")
      return knownChain(services.grants, tenantId).pipe(
        Effect.map((known) => {
          const agreed = known.tenant && granted(known.tenant, "policy", "policy")?.values
          return onChain(known, { before: lowerTenantPolicy(patch, agreed), after })
        }),
        Effect.orElseSucceed(() => after)
      )
    },
    propose: (content, chain) =>
      Effect.flatMap(Operator, ({ name: by }) =>
        propose(services, chain, { content, note: "", by, hours: expiresInHoursDefault })
      ),
    lowered: (chain, what) =>
      Effect.gen(function* () {
        const { name: by } = yield* Operator
        const known = yield* knownChain(services.grants, chain)
        for (const content of loweredGrants(known.tenant ?? known.fleet, what))
          yield* leaveLowering(services, chain, { by, content })
      }).pipe((leaving) => orUnproposed(leaving, { chain, what: what._tag }))
  }
  return bound
})
