import { Effect, HashMap, Result, Schema } from "effect"
import { type Timestamp, toIso } from "../base/Timestamp.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import { isStricter } from "./ApproverSet.ts"
import { type Approval, type PasskeyVerifier, verifyApproval } from "./Approval.ts"
import { coolingOf } from "./cooling.ts"
import { readGrant, type GrantDocument } from "./GrantDocument.ts"
import { genesisOf, grantHash } from "./grantHash.ts"
import type { GrantRoot } from "./GrantRoot.ts"
import {
  type Authority,
  authorityAt,
  authorityOf,
  currentAuthority,
  type FleetState,
  type Granted,
  grantedOf,
  type GrantState,
  laid,
  type TenantState
} from "./GrantState.ts"
import { grantProblemCodes, type GrantProblem, judgeDocument, judgeQuorum, problem } from "./judgeGrant.ts"

/** What a verifier goes by: configuration, and nothing that is stored. */
export interface GrantTrust {
  readonly root: GrantRoot
  readonly passkeys: PasskeyVerifier
}

/** A grant as it is stored. Nothing of it is believed. */
export interface GrantEntry {
  /** The canonical text of the document. */
  readonly document: string
  readonly approvals: ReadonlyArray<Approval>
  /** When it was appended. It is not signed: only that it is no later than the document's expiry is looked at. */
  readonly recordedAt: Timestamp
}

/** A chain of grants does not hold from a position on. What was verified before that position still holds. */
export class GrantChainBroken extends Schema.TaggedError<GrantChainBroken>()("GrantChainBroken", {
  /** The tenant; null for the fleet. */
  tenantId: Schema.NullOr(Schema.String),
  /** The number that the grant should have. */
  position: Schema.Int,
  code: Schema.Literals(grantProblemCodes),
  reason: Schema.String
}) {
  override get message() {
    return `grant ${this.position} of ${this.tenantId ?? "the fleet"} does not hold (${this.code}): ${this.reason}`
  }
}

const refuse = (code: GrantProblem["code"], message: string) => Effect.fail<GrantProblem>({ code, message })

/** The people whose approvals of a hash verify, each once. Fails with the first approval that is none. */
export const verifiedPeople = Effect.fnUntraced(function* (
  passkeys: PasskeyVerifier,
  authority: Authority,
  { approvals, hash }: { readonly approvals: ReadonlyArray<Approval>; readonly hash: string }
) {
  const people = new Set<string>()
  for (const approval of approvals) {
    const owner = authority.keys.get(approval.key)
    if (owner === undefined)
      return yield* refuse("approval_unknown_key", `the key ${approval.key} is of nobody who may approve`)
    if (people.has(owner.person)) return yield* refuse("approval_twice", `${owner.person} has approved twice`)
    if (!(yield* verifyApproval(passkeys, owner.key, { approval, hash })))
      return yield* refuse("approval_invalid", `the approval of ${owner.person} does not verify`)
    people.add(owner.person)
  }
  return people
})

interface Judged {
  readonly grant: Granted
  /** The keys that approved it. */
  readonly keys: ReadonlyArray<string>
  readonly state: GrantState
}

/** The state that a grant follows on, and whose word counts for it. */
interface Before {
  readonly state: GrantState
  readonly authorityFor: (document: GrantDocument) => Result.Result<Authority, GrantProblem>
}

/** One grant on the state that it follows on. */
const judgedOn = Effect.fnUntraced(function* (
  { passkeys }: GrantTrust,
  { authorityFor, state }: Before,
  { approvals, document: text, recordedAt }: GrantEntry
) {
  const document = yield* Effect.fromResult(readGrant(text))
  const authority = yield* Effect.fromResult(authorityFor(document))
  const direction = yield* Effect.fromResult(judgeDocument(state, authority, document))
  if (recordedAt > Date.parse(document.expires_at))
    return yield* refuse("expired", `it was appended at ${toIso(recordedAt)}, after it had expired`)
  const hash = yield* grantHash(text)
  const people = yield* verifiedPeople(passkeys, authority, { approvals, hash })
  yield* Effect.fromResult(judgeQuorum(authority, { kind: document.kind, direction, people }))
  const grant = grantedOf(document, hash, recordedAt)
  const judged: Judged = { grant, keys: approvals.map(({ key }) => key), state: laid(state, grant) }
  return judged
})

const judged = (trust: GrantTrust, before: Before, entry: GrantEntry): Effect.Effect<Judged, GrantChainBroken> =>
  Effect.mapError(judgedOn(trust, before, entry), (found) => brokenAt(before.state, found))

const brokenAt = ({ head, tenantId }: GrantState, { code, message }: GrantProblem): GrantChainBroken =>
  new GrantChainBroken({ tenantId, position: head.number + 1, code, reason: message })

/** Rows that cannot even be read are a fault of their chain, and of no other. */
export const orUnreadable = <A, E, R>(
  { head, tenantId }: GrantState,
  reading: Effect.Effect<A, E, R>
): Effect.Effect<A, E | GrantChainBroken, R> =>
  Effect.catchDefect(reading, () =>
    Effect.fail(
      new GrantChainBroken({
        tenantId,
        position: head.number + 1,
        code: "unreadable",
        reason: "its row cannot be read"
      })
    )
  )

/** The fleet's chain after one more grant that was judged. */
const advancedFleet = (fleet: FleetState, { grant: { document, hash }, state }: Judged): FleetState => {
  const number = state.head.number
  const next = { ...fleet, head: state.head, grants: state.grants, hashes: [...fleet.hashes, hash] }
  if (document.kind !== "approvers") return next
  const before = currentAuthority(fleet)
  const authority = authorityOf(number, document.values, before)
  return {
    ...next,
    authorities: [...fleet.authorities, authority],
    lastStricter: isStricter(before.set, authority.set) ? number : fleet.lastStricter
  }
}

/** The fleet's chain before its first grant: the root. */
export const fleetGenesis = (root: GrantRoot): Effect.Effect<FleetState> =>
  Effect.map(genesisOf(root, null), (hash) => ({
    tenantId: null,
    head: { number: 0, hash },
    grants: HashMap.empty(),
    authorities: [authorityOf(0, root)],
    hashes: [hash],
    lastStricter: 0
  }))

/** A tenant's chain before its first grant. */
export const tenantGenesis = (root: GrantRoot, tenantId: TenantId): Effect.Effect<TenantState> =>
  Effect.map(genesisOf(root, tenantId), (hash) => ({
    tenantId,
    head: { number: 0, hash },
    grants: HashMap.empty(),
    fleetNumber: 0,
    adopted: 0,
    unconfirmed: [],
    cooling: []
  }))

/**
 * Verifies grants of the fleet from its root, or from a state that was verified before (`known`), whose following grants `entries`
 * then are. Fails with the first grant that does not hold and why.
 */
export const verifyFleet = Effect.fn("grant.verifyFleet")(function* (
  trust: GrantTrust,
  entries: Iterable<GrantEntry>,
  known?: FleetState
) {
  let fleet = known ?? (yield* fleetGenesis(trust.root))
  for (const entry of entries) {
    const state = fleet
    const step = yield* judged(trust, { state, authorityFor: () => Result.succeed(currentAuthority(state)) }, entry)
    fleet = advancedFleet(state, step)
  }
  return fleet
})

/** Whose word counts for a grant of a tenant: the fleet's approvers at the grant that it names, never of an older one than the grant before. */
export const authorityForTenant = (
  fleet: FleetState,
  { adopted, fleetNumber }: TenantState,
  document: GrantDocument
): Result.Result<Authority, GrantProblem> => {
  if (document.fleet === null) return problem("wrong_fleet", "it names no grant of the fleet")
  const number = Number(document.fleet.number)
  if (fleet.hashes[number] !== document.fleet.hash)
    return problem("wrong_fleet", `the fleet has no such grant ${document.fleet.number}`)
  if (number < fleetNumber)
    return problem("wrong_fleet", `it names grant ${number} of the fleet, and the one before named ${fleetNumber}`)
  if (document.kind === "adoption" && number <= adopted)
    return problem("changes_nothing", `grant ${number} of the fleet was adopted already`)
  return Result.succeed(authorityAt(fleet, number))
}

/** The tenant's chain after one more grant that was judged. Its first has nothing before it to confirm. */
const advancedTenant = (before: TenantState, { grant, keys, state }: Judged): TenantState => {
  const { document } = grant
  const fleetNumber = Number(document.fleet?.number ?? 0)
  const grown = { ...before, head: state.head, grants: state.grants, fleetNumber }
  const cools = coolingOf(before, grown, grant)
  const next = cools === undefined ? grown : { ...grown, cooling: [...before.cooling, cools] }
  if (document.kind === "adoption") return { ...next, adopted: fleetNumber, unconfirmed: [] }
  const adopted = before.head.number === 0 ? fleetNumber : before.adopted
  return { ...next, adopted, unconfirmed: [...before.unconfirmed, { grant, keys }] }
}

/**
 * A chain as it will be once a document that may follow on it is granted: for whoever prepares the next one. That it may follow is for the caller to
 * judge.
 */
export const chainAfter = <C extends { readonly fleet: FleetState; readonly tenant?: TenantState }>(
  chain: C,
  { document, hash }: { readonly document: GrantDocument; readonly hash: string },
  at: Timestamp
): C => {
  const state = chain.tenant ?? chain.fleet
  const grant = grantedOf(document, hash, at)
  const step: Judged = { grant, keys: [], state: laid(state, grant) }
  return chain.tenant === undefined
    ? { ...chain, fleet: advancedFleet(chain.fleet, step) }
    : { ...chain, tenant: advancedTenant(chain.tenant, step) }
}

/** What a tenant's chain is verified from. */
export interface TenantChain {
  readonly tenantId: TenantId
  /** Verified, and at least as new as what the grants name. */
  readonly fleet: FleetState
  readonly entries: Iterable<GrantEntry>
  /** A state of this chain that was verified before: `entries` are then those after it. */
  readonly known?: TenantState
}

/**
 * Verifies grants of a tenant from the root, or from a state that was verified before. Fails with the first grant that does not hold and
 * why. Before anything is paid by the state, look at `mustAdopt`.
 */
export const verifyTenant = Effect.fn("grant.verifyTenant")(function* (
  trust: GrantTrust,
  { entries, fleet, known, tenantId }: TenantChain
) {
  let tenant = known ?? (yield* tenantGenesis(trust.root, tenantId))
  for (const entry of entries) {
    const state = tenant
    const authorityFor = (document: GrantDocument) => authorityForTenant(fleet, state, document)
    tenant = advancedTenant(state, yield* judged(trust, { state, authorityFor }, entry))
  }
  return tenant
})

/**
 * That a chain still holds the grant that was its last when it was looked at before: otherwise the database was cut, rolled back or rewritten
 * since (`cut`). `hashes` are those of the verified chain by number, or of the one that is asked for.
 */
export const verifyKept = (
  tenantId: TenantId | null,
  remembered: { readonly number: number; readonly hash: string },
  hashAt: string | undefined
): Effect.Effect<void, GrantChainBroken> =>
  hashAt === remembered.hash
    ? Effect.void
    : Effect.fail(
        new GrantChainBroken({
          tenantId,
          position: remembered.number,
          code: "cut",
          reason: `it is not the grant that stood there before: the chain was cut, rolled back or rewritten`
        })
      )
