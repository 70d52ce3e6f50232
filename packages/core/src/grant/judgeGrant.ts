import { Result } from "effect"
import { toIso } from "../base/Timestamp.ts"
import { canonicalText } from "./canonical.ts"
import { type ApproverSet, approverSetProblem, keyName, quorumOf } from "./ApproverSet.ts"
import { type Direction, directionOf } from "./direction.ts"
import {
  fleetKinds,
  type GrantDocument,
  type GrantKind,
  type GrantOf,
  proposalLifetimeMsMax,
  subjectOf
} from "./GrantDocument.ts"
import { type Authority, granted, grantedCoolingHours, type GrantState, type TenantState } from "./GrantState.ts"

/** Why a grant does not hold. */
export const grantProblemCodes = [
  "oversize",
  "unreadable",
  "not_canonical",
  "wrong_chain",
  "wrong_number",
  "wrong_previous",
  "wrong_kind",
  "wrong_subject",
  "wrong_fleet",
  "values_invalid",
  "changes_nothing",
  "expired",
  "approval_unknown_key",
  "approval_twice",
  "approval_invalid",
  "quorum_missing",
  "cut"
] as const

/** Why a grant does not hold. */
export type GrantProblemCode = (typeof grantProblemCodes)[number]

/** What is wrong with a grant. */
export interface GrantProblem {
  readonly code: GrantProblemCode
  readonly message: string
}

/** What is wrong with a grant, as a failure. */
export const problem = (code: GrantProblemCode, message: string): Result.Result<never, GrantProblem> =>
  Result.fail({ code, message })

/** The values that a document would replace; undefined where no grant has named its subject. Of the approvers, the set that holds. */
export const valuesBefore = <K extends GrantKind>(
  state: GrantState,
  authority: Authority,
  { kind, subject }: Pick<GrantOf<K>, "kind" | "subject">
): GrantDocument["values"] | undefined => (kind === "approvers" ? authority.set : granted(state, kind, subject)?.values)

const standing = (values: GrantDocument["values"]): string | undefined => ("state" in values ? values.state : undefined)

const stateless = (values: GrantDocument["values"]): string => canonicalText({ ...values, state: undefined })

/** Why one who has a standing may not go from one form to another: it stays what it is, and what is revoked stays so. */
const standingProblem = (from: GrantDocument["values"], to: GrantDocument["values"]): string | undefined => {
  if (standing(from) === undefined) return undefined
  if (standing(from) === "REVOKED") return "it was revoked, which is for good"
  return stateless(from) === stateless(to) ? undefined : "it may be revoked and not changed: grant another"
}

const approversProblem = (authority: Authority, set: ApproverSet): string | undefined => {
  const back = set.approvers.flatMap(({ keys }) => keys.map(keyName)).find((name) => authority.revokedKeys.has(name))
  return (
    approverSetProblem(set) ?? (back === undefined ? undefined : `the key ${back} was taken away, which is for good`)
  )
}

const destinationProblem = (state: GrantState, document: GrantOf<"destination">): string | undefined => {
  if (document.values.state === "REVOKED") return undefined
  const hours = grantedCoolingHours(state as TenantState) // destinations stand on chains of tenants
  const earliest = Date.parse(document.proposed_at) + hours * 3_600_000
  return Date.parse(document.values.usable_from) >= earliest
    ? undefined
    : `it may be used from ${toIso(earliest)} on at the earliest: ${hours} hours after it was proposed`
}

/** A tenant stays in its environment for good: its keys, its wallets and what it was credited are all of that one. */
const policyProblem = (state: GrantState, { values }: GrantOf<"policy">): string | undefined => {
  const before = granted(state, "policy", "policy")?.values.environment
  return before === undefined || before === values.environment
    ? undefined
    : `the tenant is ${before}, which is for good`
}

const valuesProblem = (state: GrantState, authority: Authority, document: GrantDocument): string | undefined => {
  const from = valuesBefore(state, authority, document)
  if (document.kind === "approvers") return approversProblem(authority, document.values)
  if (document.kind === "policy") return policyProblem(state, document)
  if (document.kind === "adjustment" && from !== undefined) return "it was granted already"
  // a new one that is revoked says nothing, and would keep its name from being granted
  if (from === undefined && standing(document.values) === "REVOKED") return "there is nothing to revoke"
  const changed = from === undefined ? undefined : standingProblem(from, document.values)
  return changed ?? (document.kind === "destination" ? destinationProblem(state, document) : undefined)
}

const lifetimeProblem = ({ expires_at: expires, proposed_at: proposed }: GrantDocument): string | undefined => {
  const lifetimeMs = Date.parse(expires) - Date.parse(proposed)
  return lifetimeMs > 0 && lifetimeMs <= proposalLifetimeMsMax
    ? undefined
    : "a proposal expires after it is made, and within 31 days"
}

/** What a grant does to what may be lost, from the state that it follows on. */
export const directionIn = (state: GrantState, authority: Authority, document: GrantDocument): Direction =>
  // both values are of the document's kind
  directionOf(document.kind, valuesBefore(state, authority, document) as never, document.values as never)

/**
 * Kinds that may say again what holds. Operators may stop and lower without a grant; to put back what was granted, which the chain says
 * already, takes the quorum like everything that raises a risk.
 */
const repeatable: ReadonlySet<GrantKind> = new Set<GrantKind>(["policy", "suspension", "network"])

/**
 * How many people a grant takes: one to lower a risk, the quorum of its kind to raise it or to say it again. An adoption takes the largest
 * quorum of any kind.
 */
export const approvalsNeeded = (authority: Authority, kind: GrantKind, direction: Direction): number =>
  direction === "lowers" ? 1 : quorumOf(authority.set, kind)

/**
 * Whether a document may follow on a state: its place, its kind, its subject and what it changes; not who approved it. Succeeds
 * with what it does to what may be lost.
 */
export const judgeDocument = (
  state: GrantState,
  authority: Authority,
  document: GrantDocument
): Result.Result<Direction, GrantProblem> => {
  const { head, tenantId } = state
  if (document.tenant !== tenantId) return problem("wrong_chain", `it is of ${document.tenant ?? "the fleet"}`)
  if (fleetKinds.has(document.kind) !== (tenantId === null))
    return problem("wrong_kind", `${document.kind} does not stand on this chain`)
  if (document.number !== String(head.number + 1))
    return problem("wrong_number", `it has the number ${document.number} where ${head.number + 1} follows`)
  if (document.previous !== head.hash) return problem("wrong_previous", "it follows on another grant")
  if ((document.fleet === null) !== (tenantId === null))
    return problem("wrong_fleet", "grants of a tenant name a grant of the fleet, and the fleet's own name none")
  if (document.subject !== subjectOf(document)) return problem("wrong_subject", "its subject is not that of its values")
  const wrong = valuesProblem(state, authority, document) ?? lifetimeProblem(document)
  if (wrong !== undefined) return problem("values_invalid", wrong)
  const direction = directionIn(state, authority, document)
  return direction === "changes_nothing" && document.kind !== "adoption" && !repeatable.has(document.kind)
    ? problem("changes_nothing", "it changes nothing")
    : Result.succeed(direction)
}

/** Whether the people who approved are enough. */
export const judgeQuorum = (
  authority: Authority,
  {
    direction,
    kind,
    people
  }: { readonly kind: GrantKind; readonly direction: Direction; readonly people: ReadonlySet<string> }
): Result.Result<void, GrantProblem> => {
  const needed = approvalsNeeded(authority, kind, direction)
  return people.size >= needed
    ? Result.succeed(undefined)
    : problem("quorum_missing", `${people.size} of ${needed} people have approved it`)
}
