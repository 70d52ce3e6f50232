import { HashMap, Option } from "effect"
import type { Timestamp } from "../base/Timestamp.ts"
import { coolingHours, type TenantId, type TenantPolicy } from "../tenant/Tenant.ts"
import { type ApproverKey, type ApproverSet, keyName } from "./ApproverSet.ts"
import type { GrantDocument, GrantKind, GrantOf, GrantValues } from "./GrantDocument.ts"
import { policyOf } from "./PolicyValues.ts"

/** The last grant of a chain. Number 0 with the hash of its beginning (`genesisOf`) where the chain has none. */
export interface GrantHead {
  readonly number: number
  readonly hash: string
}

/** A grant that holds: the newest of its kind and subject. */
export interface Granted<K extends GrantKind = GrantKind> {
  readonly document: GrantOf<K>
  readonly values: GrantValues<K>
  readonly hash: string
  readonly number: number
  /** The number of the first grant of its subject: what is revoked keeps its place among others. */
  readonly since: number
  readonly recordedAt: Timestamp
}

/** Who may approve from a grant of the fleet on. */
export interface Authority {
  /** The number of the grant of the fleet that it holds from; 0 for the root. */
  readonly since: number
  readonly set: ApproverSet
  /** Keys by their names, with whose they are. */
  readonly keys: ReadonlyMap<string, { readonly person: string; readonly key: ApproverKey }>
  /** Names of keys that were taken away: they never come back. */
  readonly revokedKeys: ReadonlySet<string>
}

/** What the verified grants of a chain say. Grants are reached by `granted` and `allGranted`. */
export interface GrantState {
  /** Null for the fleet. */
  readonly tenantId: TenantId | null
  readonly head: GrantHead
  readonly grants: HashMap.HashMap<GrantKind, HashMap.HashMap<string, Granted>>
}

/** What the verified chain of the fleet says. */
export interface FleetState extends GrantState {
  readonly tenantId: null
  /** Oldest first; the first is the root's. */
  readonly authorities: readonly [Authority, ...ReadonlyArray<Authority>]
  /** The hash of every grant by its number; at 0 that of the beginning. */
  readonly hashes: ReadonlyArray<string>
  /** The number of the last grant by which less counts than before: a key or a person was removed, or a quorum raised. 0 where none did. */
  readonly lastStricter: number
}

/** A grant of a tenant that the approvers have not confirmed by an adoption since, with the keys that approved it. */
export interface Unconfirmed {
  readonly grant: Granted
  readonly keys: ReadonlyArray<string>
}

/** A grant that has to be known for a while before a destination receives by it. */
export interface Cooling {
  readonly number: number
  readonly hash: string
  /** For how long, by the policy that held before it. */
  readonly forMs: number
  /** What it says: where withdrawals go, or that the next ones wait less long. */
  readonly says: "destination" | "shorter_wait"
}

/** What the verified chain of a tenant says. */
export interface TenantState extends GrantState {
  readonly tenantId: TenantId
  /** The grant of the fleet by whose approvers the last grant was judged: those after are judged by it or a later one. */
  readonly fleetNumber: number
  /** The grant of the fleet whose approvers have confirmed the chain: they began it, or adopted what stood on it. */
  readonly adopted: number
  /** The grants since. */
  readonly unconfirmed: ReadonlyArray<Unconfirmed>
  /** The grants that have to be known for a while before a destination receives by them, all that there ever were, in the order of the chain. */
  readonly cooling: ReadonlyArray<Cooling>
}

/** The authority that a set of approvers makes. */
export const authorityOf = (since: number, set: ApproverSet, before?: Authority): Authority => {
  const keys = new Map(
    set.approvers.flatMap(({ id, keys: own }) => own.map((key) => [keyName(key), { person: id, key }] as const))
  )
  const gone = [...(before?.keys.keys() ?? [])].filter((name) => !keys.has(name))
  return { since, set, keys, revokedKeys: new Set([...(before?.revokedKeys ?? []), ...gone]) }
}

/** Who may approve what follows on a grant of the fleet. */
export const authorityAt = ({ authorities }: FleetState, number: number): Authority =>
  authorities.findLast(({ since }) => since <= number) ?? authorities[0]

/** Who may approve now. */
export const currentAuthority = (fleet: FleetState): Authority => authorityAt(fleet, fleet.head.number)

/**
 * Whether nobody may go by a tenant's chain, because the approvers have become stricter since they confirmed it: by naming an older grant of the
 * fleet, keys that were removed since may have added to it at any time. An adoption by the quorum of those who approve now confirms what
 * stands there. No other grant does, whoever approves it: people who stop a thief do not thereby say that the rest is theirs.
 */
export const mustAdopt = (fleet: FleetState, tenant: TenantState): boolean =>
  tenant.head.number > 0 && tenant.adopted < fleet.lastStricter

/** A grant that an adoption would confirm, with the people whose keys approved it and whether those still count. */
export interface AwaitingAdoption {
  readonly grant: Granted
  readonly approvedBy: ReadonlyArray<{ readonly person: string; readonly counts: boolean }>
}

/** What people look at before they adopt: the grants, confirmed by nobody since, that were judged by approvers of before they became stricter. */
export const awaitingAdoption = (fleet: FleetState, { unconfirmed }: TenantState): ReadonlyArray<AwaitingAdoption> => {
  const now = currentAuthority(fleet)
  return unconfirmed.flatMap(({ grant, keys }) => {
    const named = Number(grant.document.fleet?.number ?? 0)
    if (named >= fleet.lastStricter) return []
    const then = authorityAt(fleet, named)
    const person = (key: string) => then.keys.get(key)?.person ?? key
    return [{ grant, approvedBy: keys.map((key) => ({ person: person(key), counts: now.keys.has(key) })) }]
  })
}

/** The grant that holds for a subject of a kind; undefined where none ever named it. */
export const granted = <K extends GrantKind>(state: GrantState, kind: K, subject: string): Granted<K> | undefined => {
  const found = Option.flatMap(HashMap.get(state.grants, kind), HashMap.get(subject))
  return Option.getOrUndefined(found) as Granted<K> | undefined // under a kind stand grants of that kind alone
}

/** The grants of a kind that hold, one for each subject, in the order of the chain. */
export const allGranted = <K extends GrantKind>(state: GrantState, kind: K): ReadonlyArray<Granted<K>> => {
  const found = Option.getOrElse(HashMap.get(state.grants, kind), () => HashMap.empty<string, Granted>())
  const ordered: ReadonlyArray<unknown> = [...HashMap.values(found)].toSorted((a, b) => a.number - b.number)
  return ordered as ReadonlyArray<Granted<K>> // see `granted`
}

/** Lays a grant over a state. */
export const laid = (state: GrantState, grant: Granted): GrantState => {
  const { kind, subject } = grant.document
  const before = Option.getOrElse(HashMap.get(state.grants, kind), () => HashMap.empty<string, Granted>())
  const first = Option.getOrElse(HashMap.get(before, subject), () => grant)
  return {
    ...state,
    head: { number: grant.number, hash: grant.hash },
    grants: HashMap.set(state.grants, kind, HashMap.set(before, subject, { ...grant, since: first.since }))
  }
}

/** A grant of a document that was judged to hold. */
export const grantedOf = (document: GrantDocument, hash: string, recordedAt: Timestamp): Granted => ({
  document,
  values: document.values,
  hash,
  number: Number(document.number),
  since: Number(document.number),
  recordedAt
})

/** Whether everything of the tenant that leaves is stopped. */
export const isSuspended = (tenant: TenantState): boolean =>
  granted(tenant, "suspension", "suspension")?.values.suspended ?? false

/** Whether everything that leaves on a network is stopped. */
export const isStopped = (fleet: FleetState, network: string): boolean =>
  granted(fleet, "network", network)?.values.stopped ?? false

/** What is agreed with the tenant; undefined where nothing was granted: then nothing may leave. */
export const grantedPolicy = (tenant: TenantState): TenantPolicy | undefined => {
  const found = granted(tenant, "policy", "policy")
  return found === undefined ? undefined : policyOf(found.values)
}

/** For how many hours a destination waits by what is granted: not at all before a policy is. */
export const grantedCoolingHours = (tenant: TenantState): number => {
  const policy = grantedPolicy(tenant)
  return policy === undefined ? 0 : coolingHours(policy)
}

/** The partner's public keys that are granted and not revoked. */
export const activeSigningKeys = (tenant: TenantState): ReadonlyArray<GrantValues<"signing_key">> =>
  allGranted(tenant, "signing_key").flatMap(({ values }) => (values.state === "ACTIVE" ? [values] : []))

/** The service's own accounts of a network that are granted and not revoked. */
export const activeWallets = (tenant: TenantState, network: string): ReadonlyArray<GrantValues<"payout_wallet">> =>
  allGranted(tenant, "payout_wallet").flatMap(({ values }) =>
    values.state === "ACTIVE" && values.network === network ? [values] : []
  )

/**
 * The account that addresses of a family of networks are issued from: the newest that was granted. Where that one was revoked none is, for
 * then one person could choose among all that ever were.
 */
export const grantedAccountKey = (tenant: TenantState, family: string): GrantValues<"issuing_account"> | undefined => {
  const newest = allGranted(tenant, "issuing_account")
    .filter(({ values }) => values.family === family)
    .toSorted((one, other) => one.since - other.since)
    .at(-1)
  return newest?.values.state === "ACTIVE" ? newest.values : undefined
}

/** The limits that are granted on what a tenant's payouts pay of each currency. */
export const grantedLimits = (tenant: TenantState): ReadonlyArray<GrantValues<"currency_limit">> =>
  allGranted(tenant, "currency_limit").map(({ values }) => values)

/** The newest grant of a currency's destination whose time has come, revoked since or not. */
export const newestDestination = (
  tenant: TenantState,
  currency: string,
  now: Timestamp
): Granted<"destination"> | undefined =>
  allGranted(tenant, "destination")
    .filter(({ values }) => values.currency === currency && Date.parse(values.usable_from) <= now)
    .toSorted(
      (one, other) =>
        Date.parse(one.values.usable_from) - Date.parse(other.values.usable_from) || one.number - other.number
    )
    .at(-1)

/**
 * Where withdrawals of a currency go now: the newest grant whose time has come. Where that one was revoked nothing receives: what stood
 * before it is not revived, for then one person could choose among all that ever were. That one was revoked before its time came changes
 * nothing: nobody has signed when it was.
 */
export const grantedDestination = (
  tenant: TenantState,
  currency: string,
  now: Timestamp
): Granted<"destination"> | undefined => {
  const newest = newestDestination(tenant, currency, now)
  return newest?.values.state === "ACTIVE" ? newest : undefined
}
