import { apiError } from "@bursar/api/errors/ApiError"
import { Operator } from "@bursar/api/operator/Operator"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { listLimits } from "@bursar/api/wire/QueryParameters"
import { Writer } from "@bursar/core/engine/Writer"
import { keyName } from "@bursar/core/grant/ApproverSet"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { rejectGrant } from "@bursar/core/grant/grantCommands"
import { readGrant, readValues } from "@bursar/core/grant/GrantDocument"
import { GrantStore } from "@bursar/core/grant/GrantStore"
import { currentAuthority } from "@bursar/core/grant/GrantState"
import { verifyAll } from "@bursar/core/grant/verifyAll"
import { Networks } from "@bursar/core/port/Networks"
import { Queries } from "@bursar/core/store/Queries"
import { Tenants } from "@bursar/core/port/Tenants"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { grantMeans } from "../../../keys/grantMeans.ts"
import { noteAction } from "../../../middleware/actionNotes.ts"
import { orUnavailable, submit } from "../../../refusals.ts"
import { providerPlaces } from "../providerPlaces.ts"
import { chainNamed, grantsHere, knownChain, orBroken } from "./chains.ts"
import { append, approve, expiresInHoursDefault, findProposal, propose } from "./change.ts"
import { destinationNotes } from "./destinationNotes.ts"
import { makeImportable } from "./importable.ts"
import { leaveAgain, orUnproposed } from "./lowerings.ts"
import { endedOf } from "./loweredRows.ts"
import { makeSight } from "./sight.ts"
import { entryToWire, proposalToWire } from "./toWire.ts"

const options = { uninterruptible: true }

const numbers = (quorums: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(quorums).map(([kind, quorum]) => [kind, Number(quorum)]))

/** Grants: proposals, approvals and chains. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "grants",
  Effect.fnUntraced(function* (handlers) {
    const writer = yield* Writer
    const tenants = yield* Tenants
    const store = yield* GrantStore
    const here = yield* grantsHere
    const importable = yield* makeImportable

    const networks = yield* Networks
    const queries = yield* Queries
    const means = grantMeans(yield* ServerConfig)
    const isPlace = yield* providerPlaces

    const services = Effect.map(here, (grants) => ({ grants, store, writer, networks, queries, isPlace, ...means }))

    const opened = Effect.fnUntraced(function* (name: string) {
      const given = yield* services
      return { ...given, chain: yield* chainNamed(tenants, name) }
    })

    const sightOf = yield* makeSight

    /** What comes on a chain after a grant was appended or a proposal rejected. That holds without it. */
    const outdated = (given: Effect.Success<typeof services>, chain: TenantId | null) => {
      const leaving = Effect.gen(function* () {
        const sight = yield* sightOf({ ...given, chain })
        const ended = chain === null ? [] : yield* orUnavailable(endedOf({ queries, tenants }, chain))
        yield* leaveAgain(given, chain, { ...sight, ended })
      })
      return orUnproposed(leaving, { chain, what: "outdated" })
    }

    /** What comes after a grant was appended: other approvers outdate the proposals of all chains. */
    const appended = Effect.fnUntraced(function* (
      given: Effect.Success<ReturnType<typeof opened>>,
      { document }: { readonly document: string }
    ) {
      yield* outdated(given, given.chain)
      if (Result.getOrUndefined(readGrant(document))?.kind !== "approvers") return
      yield* orUnavailable(tenants.list).pipe(
        Effect.flatMap(({ tenants: all }) => Effect.forEach(all, ({ id }) => outdated(given, id), { discard: true })),
        (leaving) => orUnproposed(leaving, { chain: null, what: "outdated" })
      )
    })

    const approvers = Effect.fnUntraced(function* () {
      const { fleet, trust } = yield* here
      const { set } = currentAuthority(yield* orBroken(fleet))
      return {
        approvers: set.approvers.map(({ id, keys, name }) => ({
          id,
          name,
          keys: keys.map((key) => ({ type: key.type, key: keyName(key) }))
        })),
        quorum: Number(set.quorum),
        quorums: numbers(set.quorums),
        relying_party: trust.root.relying_party ?? null
      }
    })

    const verify = Effect.fnUntraced(function* () {
      const { trust } = yield* here
      const { tenants: readable, unreadable } = yield* orUnavailable(tenants.list)
      const reports = yield* orUnavailable(verifyAll(trust, store, [...readable, ...unreadable]))
      const chains = reports.map(({ adopted, head, problem, tenantId }) => ({
        chain: tenantId ?? ("fleet" as const),
        number: head?.number ?? null,
        hash: head?.hash ?? null,
        adopted,
        problem
      }))
      return { ok: reports.every(({ problem }) => problem === null), chains }
    })

    return handlers.handleAll({
      approvers,
      verify,
      entries: Effect.fnUntraced(function* ({ params, query }) {
        const { chain } = yield* opened(params.chain)
        const limit = query.limit ?? listLimits.operatorLists.default
        const entries = yield* orUnavailable(store.after(chain, query.after ?? 0, limit))
        return { entries: entries.map(entryToWire) }
      }),
      append: {
        handler: Effect.fnUntraced(function* ({ params, payload }) {
          const given = yield* opened(params.chain)
          const grant = yield* append(given, given.chain, payload)
          yield* noteAction({
            grant_hash: grant.hash,
            grant_number: String(grant.number),
            ...(yield* destinationNotes(queries, given.chain, grant))
          })
          yield* appended(given, grant)
          return entryToWire(grant)
        }),
        options
      },
      importable: Effect.fnUntraced(function* ({ params }) {
        const { chain, grants } = yield* opened(params.chain)
        const { contents, leftOut } = yield* importable(yield* knownChain(grants, chain))
        return { contents, left_out: leftOut }
      }),
      list: Effect.fnUntraced(function* ({ params }) {
        const given = yield* opened(params.chain)
        const sight = yield* sightOf(given)
        const proposals = yield* orUnavailable(
          store.proposals(given.chain, sight.now, listLimits.operatorLists.maximum)
        )
        return { proposals: proposals.map((proposal) => proposalToWire(sight, proposal)) }
      }),
      show: Effect.fnUntraced(function* ({ params }) {
        const given = yield* opened(params.chain)
        const sight = yield* sightOf(given)
        return proposalToWire(sight, yield* findProposal(given, given.chain, params.proposal_id))
      }),
      propose: {
        handler: Effect.fnUntraced(function* ({ params, payload }) {
          const given = yield* opened(params.chain)
          const { name: by } = yield* Operator
          const content = readValues({ kind: payload.kind, values: payload.values })
          if (Result.isFailure(content)) return yield* apiError("invalid_request", { message: content.failure })
          const hours = payload.expires_in_hours ?? expiresInHoursDefault
          const proposal = yield* propose(given, given.chain, {
            content: content.success,
            note: payload.note ?? "",
            by,
            hours
          })
          yield* noteAction({ proposal_id: proposal.id, grant_kind: payload.kind, grant_hash: proposal.hash })
          return proposalToWire(yield* sightOf(given), proposal)
        }),
        options
      },
      approve: {
        handler: Effect.fnUntraced(function* ({ params, payload }) {
          const given = yield* opened(params.chain)
          const { name: by } = yield* Operator
          const at = { chain: given.chain, proposalId: params.proposal_id }
          const proposal = yield* approve(given, at, { approval: payload.approval, by })
          yield* noteAction({
            grant_hash: proposal.hash,
            approved_by: proposal.approvals.at(-1)?.person ?? "",
            grant_state: proposal.state,
            ...(proposal.state === "GRANTED" ? yield* destinationNotes(queries, given.chain, proposal) : {})
          })
          if (proposal.state === "GRANTED") yield* appended(given, proposal)
          return proposalToWire(yield* sightOf(given), proposal)
        }),
        options
      },
      reject: {
        handler: Effect.fnUntraced(function* ({ params, payload }) {
          const given = yield* opened(params.chain)
          const { name: by } = yield* Operator
          const command = rejectGrant(params.proposal_id, { by, reason: payload.reason })
          const proposal = yield* submit(writer, given.chain ?? fleetTenantId, command)
          yield* noteAction({ grant_hash: proposal.hash })
          yield* outdated(given, given.chain)
          return proposalToWire(yield* sightOf(given), proposal)
        }),
        options
      }
    })
  })
)
