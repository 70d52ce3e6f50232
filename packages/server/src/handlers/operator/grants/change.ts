import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import type { Approval } from "@bursar/core/grant/Approval"
import type { Timestamp } from "@bursar/core/base/Timestamp"
import type { Writer } from "@bursar/core/engine/Writer"
import {
  appendGrant,
  approveGrant,
  draftGrant,
  type KnownChain,
  neededFor,
  proposalProblem,
  proposeGrant
} from "@bursar/core/grant/grantCommands"
import { fleetTenantId, type Grant, type GrantProposal } from "@bursar/core/grant/Grant"
import { type GrantDocument, grantText, type KindAndValues, readGrant } from "@bursar/core/grant/GrantDocument"
import { grantHash } from "@bursar/core/grant/grantHash"
import { type Authority, currentAuthority, granted } from "@bursar/core/grant/GrantState"
import { grantEffect, type GrantMeans } from "@bursar/core/granting/grantEffect"
import type { Grants } from "@bursar/core/grant/Grants"
import type { GrantStore } from "@bursar/core/grant/GrantStore"
import type { JudgedGrant } from "@bursar/core/grant/policyOver"
import { hashesGiven } from "@bursar/core/payout/standingEvidence"
import type { Networks } from "@bursar/core/port/Networks"
import type { Queries } from "@bursar/core/store/Queries"
import { verifiedPeople } from "@bursar/core/grant/verifyChain"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect, Result } from "effect"
import { orUnavailable, submitPrepared } from "../../../refusals.ts"
import { knownChain } from "./chains.ts"
import type { IsPlace } from "../providerPlaces.ts"
import { checkReadable, checkValues, type Standing } from "./checkValues.ts"

/** What the handlers of grants stand on. */
export interface GrantServices extends GrantMeans {
  readonly grants: Grants["Service"]
  readonly store: GrantStore["Service"]
  readonly writer: Writer["Service"]
  readonly networks: Networks["Service"]
  readonly queries: Queries["Service"]
  readonly isPlace: IsPlace
}

/** For how long a proposal stands open where nobody says. */
export const expiresInHoursDefault = 72

const hoursMs = 3_600_000

const unreadable = (message: string): ApiError => apiError("invalid_request", { message })

/** What is proposed, by whom, and for how long. */
interface Drafted {
  readonly content: KindAndValues
  readonly note: string
  readonly by: string
  readonly hours: number
  /** When it ends where that is sooner. */
  readonly until?: Timestamp
}

/** A document at the end of a chain, read back from its own writing, with its hash. */
const drafted = Effect.fnUntraced(function* (chain: KnownChain, given: Drafted) {
  const now = yield* Clock.currentTimeMillis
  const { by, content, hours, note, until } = given
  const expiresAt = Math.min(now + hours * hoursMs, until ?? Number.POSITIVE_INFINITY)
  const text = grantText(draftGrant(chain, { content, note, by, now, expiresAt }))
  const document = yield* Effect.mapError(Effect.fromResult(readGrant(text)), ({ message }) => unreadable(message))
  return { document, hash: yield* grantHash(text) }
})

/** What a grant changes of the records of its chain's tenant. */
const effectOf = Effect.fnUntraced(function* (
  services: GrantServices,
  chain: TenantId | null,
  document: GrantDocument,
  judged: JudgedGrant
) {
  const given =
    document.kind === "review" && chain !== null
      ? yield* orUnavailable(hashesGiven(services.queries, chain, document.values.operation_id))
      : []
  return grantEffect(document, judged, services, given)
})

const standingOn = ({ fleet, tenant }: KnownChain): Standing => ({
  approvers: currentAuthority(fleet).set,
  policy: tenant && granted(tenant, "policy", "policy")?.values
})

/** Proposes a grant at the end of a chain, wherever that is by then. */
export const propose = (
  services: GrantServices,
  chain: TenantId | null,
  given: Drafted
): Effect.Effect<GrantProposal, ApiError> =>
  submitPrepared(services.writer, chain ?? fleetTenantId, () =>
    Effect.gen(function* () {
      const known = yield* knownChain(services.grants, chain)
      yield* checkValues(services, given.content, standingOn(known))
      yield* checkReadable("note", given.note)
      const hashed = yield* drafted(known, given)
      // what is wrong with its place in the chain is for the command to say
      const needed = Result.getOrUndefined(neededFor(known, hashed.document))
      const effect = needed === undefined ? undefined : yield* effectOf(services, chain, hashed.document, needed)
      return proposeGrant(known, hashed, effect)
    })
  )

/** A proposal of a chain, or `not_found`. */
export const findProposal = (
  { store }: GrantServices,
  chain: TenantId | null,
  id: string
): Effect.Effect<GrantProposal, ApiError> =>
  Effect.flatMap(orUnavailable(store.proposal(chain, id)), (found) =>
    found === undefined ? Effect.fail(apiError("not_found")) : Effect.succeed(found)
  )

const conflict = (message: string): ApiError => apiError("state_conflict", { message })

/** A proposal with what was made of its stored text, by which alone it is judged. */
interface Judged {
  readonly proposal: GrantProposal
  readonly hash: string
  readonly authority: Authority
}

/** Reads a proposal for somebody who approves it at the end of a chain. */
const judge = Effect.fnUntraced(function* (chain: KnownChain, proposal: GrantProposal) {
  const document = yield* Effect.mapError(Effect.fromResult(readGrant(proposal.document)), () =>
    conflict("What is stored of the proposal is no grant: propose it again.")
  )
  const needed = yield* Effect.mapError(Effect.fromResult(neededFor(chain, document)), ({ message }) =>
    conflict(`The proposal can no longer hold: ${message}.`)
  )
  const judged: Judged = { proposal, hash: yield* grantHash(proposal.document), authority: needed.authority }
  return { ...judged, needed, document }
})

/** Whose an approval is, by those who may approve now. */
const personOf = ({ grants }: GrantServices, { authority, hash }: Judged, approval: Approval) =>
  Effect.map(verifiedPeople(grants.trust.passkeys, authority, { hash, approvals: [approval] }), (people) =>
    [...people].join("")
  )

/** The approvals that a proposal had, each verified anew: what is stored is not believed. */
const verifiedBefore = (services: GrantServices, judged: Judged) =>
  Effect.forEach(judged.proposal.approvals, ({ approval, person: stored }) =>
    personOf(services, judged, approval).pipe(
      Effect.filterOrFail((person) => person === stored),
      Effect.map((person) => ({ person, approval })),
      Effect.mapError(() => conflict("What is stored of the earlier approvals does not verify: propose it again."))
    )
  )

/** Adds a person's approval to a proposal; with the last one that it takes, the grant is appended. */
export const approve = (
  services: GrantServices,
  at: { readonly chain: TenantId | null; readonly proposalId: string },
  given: { readonly approval: Approval; readonly by: string }
): Effect.Effect<GrantProposal, ApiError> =>
  submitPrepared(services.writer, at.chain ?? fleetTenantId, () =>
    Effect.gen(function* () {
      const chain = yield* knownChain(services.grants, at.chain)
      const proposal = yield* findProposal(services, at.chain, at.proposalId)
      const closed = proposalProblem(chain, proposal, yield* Clock.currentTimeMillis)
      if (closed !== undefined) return yield* conflict(closed)
      const judged = yield* judge(chain, proposal)
      const person = yield* Effect.mapError(personOf(services, judged, given.approval), ({ code, message }) =>
        unreadable(`The approval does not count (${code}): ${message}.`)
      )
      const verified = yield* verifiedBefore(services, judged)
      const effect = yield* effectOf(services, at.chain, judged.document, judged.needed)
      return approveGrant(chain, {
        proposalId: proposal.id,
        hashed: { document: judged.document, hash: judged.hash },
        verified,
        approval: { person, approval: given.approval },
        by: given.by,
        effect
      })
    })
  )

/** Appends a grant that brings its approvals along. One that stands there already is given as it is. */
export const append = (
  services: GrantServices,
  chain: TenantId | null,
  given: { readonly document: string; readonly approvals: ReadonlyArray<Approval> }
): Effect.Effect<Grant, ApiError> =>
  Effect.gen(function* () {
    const document = yield* Effect.mapError(Effect.fromResult(readGrant(given.document)), ({ message }) =>
      unreadable(message)
    )
    const hash = yield* grantHash(given.document)
    const { grants, store, writer } = services
    const [there] = yield* orUnavailable(store.after(chain, Number(document.number) - 1, 1))
    if (there?.hash === hash) return there
    yield* checkReadable("document", document.note)
    return yield* submitPrepared(writer, chain ?? fleetTenantId, () =>
      Effect.gen(function* () {
        const known = yield* knownChain(grants, chain)
        yield* checkValues(services, document, standingOn(known))
        const needed = yield* Effect.mapError(Effect.fromResult(neededFor(known, document)), ({ message }) =>
          conflict(`The grant cannot hold: ${message}.`)
        )
        const { authority } = needed
        const verified = yield* Effect.forEach(given.approvals, (approval) =>
          Effect.map(verifiedPeople(grants.trust.passkeys, authority, { hash, approvals: [approval] }), (people) => ({
            person: [...people].join(""),
            approval
          }))
        ).pipe(Effect.mapError(({ code, message }) => unreadable(`An approval does not count (${code}): ${message}.`)))
        const effect = yield* effectOf(services, chain, document, needed)
        return appendGrant(known, { hashed: { document, hash }, verified, effect })
      })
    )
  })
