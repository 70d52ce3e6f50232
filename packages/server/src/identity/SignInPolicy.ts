import { holdsRole, type OperatorRole } from "@bursar/api/operator/Operator"
import { Result } from "effect"

/** An operator that the identity provider knows. */
export interface IdentifiedOperator {
  /** In lower case. One person has one name, here and among the operators with tokens of their own. */
  readonly name: string
  readonly role: OperatorRole
  /** Who it is at the provider, for good: exactly what the claim of subjects says. */
  readonly subject: string
}

/** A value that a claim must have, or hold among others. */
export interface ClaimValue {
  readonly claim: string
  readonly value: string
}

/** Who may sign in at the identity provider, and as whom. */
export interface SignInPolicy {
  readonly operators: ReadonlyArray<IdentifiedOperator>
  /** The claim that tells people apart for good, such as `sub`. */
  readonly subjectClaim: string
  /** What every token must say, such as that the person used a second factor. */
  readonly requiredClaims: ReadonlyArray<ClaimValue>
  /** The claim that gives roles, and which; null where the provider has no say in them. */
  readonly roles: { readonly claim: string; readonly of: ReadonlyMap<string, OperatorRole> } | null
}

type Claims = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Claims =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A claim of this name or, where there is none, what the path with dots leads to, such as `realm_access.roles`. */
const claimOf = (claims: Claims, name: string): unknown => {
  if (Object.hasOwn(claims, name)) return claims[name]
  let at: unknown = claims
  for (const part of name.split(".")) {
    if (!isRecord(at) || !Object.hasOwn(at, part)) return undefined
    at = at[part]
  }
  return at
}

/** The values of a claim as texts: the one that it is, or those that it holds. */
const valuesOf = (claims: Claims, name: string): ReadonlyArray<string> =>
  [claimOf(claims, name)].flat().flatMap((value) => {
    if (typeof value === "string") return [value]
    return typeof value === "boolean" || typeof value === "number" ? [String(value)] : []
  })

/** The highest role that a token gives; undefined where it gives none. */
const roleOf = (claims: Claims, { claim, of }: NonNullable<SignInPolicy["roles"]>): OperatorRole | undefined =>
  valuesOf(claims, claim)
    .flatMap((value) => of.get(value) ?? [])
    .reduce<OperatorRole | undefined>(
      (highest, role) => (highest === undefined || holdsRole(role, highest) ? role : highest),
      undefined
    )

/**
 * Which operator a token's claims are, with which role; or why none. The configuration says who is an operator and how far the rights go.
 * The provider's roles may lower them and never raise them, so that nobody at the provider makes an administrator.
 */
export const identifyOperator = (
  policy: SignInPolicy,
  claims: Claims
): Result.Result<Pick<IdentifiedOperator, "name" | "role">, string> => {
  const lacking = policy.requiredClaims.find(({ claim, value }) => !valuesOf(claims, claim).includes(value))
  if (lacking !== undefined) return Result.fail(`The token does not say what it must: ${lacking.claim}.`)
  const subject = claimOf(claims, policy.subjectClaim)
  const operator = policy.operators.find((one) => one.subject === subject)
  if (operator === undefined) return Result.fail("The token is of nobody who operates this service.")
  const { name, role } = operator
  if (policy.roles === null) return Result.succeed({ name, role })
  const given = roleOf(claims, policy.roles)
  if (given === undefined) return Result.fail("The identity provider gives you no role in this service.")
  return Result.succeed({ name, role: holdsRole(role, given) ? given : role })
}
