import { type OperatorRole, operatorRoles } from "@bursar/api/operator/Operator"
import type { ClaimValue, SignInPolicy } from "@bursar/server/identity/SignInPolicy"
import { Schema } from "effect"
import { identifiedOf } from "./operators.ts"
import { integer, listed, type Present, protectedUrl } from "./variable.ts"

const text = Schema.optionalKey(Schema.NonEmptyString)

/** Claims that people or their administrators change: whoever takes over a name there would take over the operator. */
const changeable: ReadonlySet<string> = new Set([
  "email",
  "mail",
  "name",
  "nickname",
  "preferred_username",
  "upn",
  "unique_name",
  "given_name",
  "family_name"
])

const subjectClaim = Schema.NonEmptyString.check(
  Schema.makeFilter((claim) =>
    changeable.has(claim) ? "must be a claim that stays with a person for good, such as sub" : undefined
  )
)

/** The two sides of an entry, where both say something. */
const pairAt = (entry: string, at: number): readonly [string, string] | undefined =>
  at <= 0 || at === entry.length - 1 ? undefined : [entry.slice(0, at), entry.slice(at + 1)]

/** `claim=value`: a value may hold `=`. */
const claimPair = (entry: string) => pairAt(entry, entry.indexOf("="))

/** `value=role`: a value may hold `=`, such as the name of a group in a directory. */
const rolePair = (entry: string) => pairAt(entry, entry.lastIndexOf("="))

const isRole = (word: string): word is OperatorRole => operatorRoles.some((role) => role === word)

const claimValues = Schema.String.check(
  Schema.makeFilter((given) =>
    listed(given).every((entry) => claimPair(entry) !== undefined)
      ? undefined
      : "must be claim=value, or several with commas"
  )
)

const roleValues = Schema.String.check(
  Schema.makeFilter((given) =>
    listed(given).length > 0 && listed(given).every((entry) => isRole(rolePair(entry)?.[1] ?? ""))
      ? undefined
      : `must be value=role, or several with commas, with roles of ${operatorRoles.join(", ")}`
  )
)

/** The variables that tell how operators sign in at an identity provider. */
export const oidcVariables = {
  OPERATOR_OIDC_ISSUER: Schema.optionalKey(protectedUrl),
  OPERATOR_OIDC_AUDIENCE: text,
  OPERATOR_OIDC_CLIENTS: text,
  OPERATOR_OIDC_SUBJECT_CLAIM: Schema.optionalKey(subjectClaim),
  OPERATOR_OIDC_REQUIRED_CLAIMS: Schema.optionalKey(claimValues),
  OPERATOR_OIDC_ROLE_CLAIM: text,
  OPERATOR_OIDC_ROLES: Schema.optionalKey(roleValues),
  OPERATOR_OIDC_CLOCK_TOLERANCE_SECONDS: Schema.optionalKey(integer(0, 60)),
  OPERATOR_OIDC_TOKEN_SECONDS_MAX: Schema.optionalKey(integer(60, 86_400))
}

const Variables = Schema.Struct(oidcVariables)

/** Whose tokens are taken. */
export interface OidcSettings {
  readonly issuer: string
  readonly audience: string
  readonly clients: ReadonlyArray<string>
  readonly clockToleranceSeconds?: number
  readonly tokenSecondsMax?: number
  readonly policy: SignInPolicy
}

const without = (given: Present, names: ReadonlyArray<string>, why: string): ReadonlyArray<string> =>
  names.filter((name) => given[name] === undefined).map((name) => `${name} is missing, which ${why}`)

/** What the variables of the identity provider lack, taken together. */
export const oidcMistakes = (given: Present): ReadonlyArray<string> => {
  const people = identifiedOf(given["OPERATORS"] ?? "")
  const stray = Object.keys(oidcVariables).filter((name) => given[name] !== undefined)
  if (given["OPERATOR_OIDC_ISSUER"] === undefined) {
    const needing =
      people.length > 0 ? ["OPERATORS names people who sign in at one"] : stray.map((name) => `${name} needs`)
    return needing.slice(0, 1).map((why) => `OPERATOR_OIDC_ISSUER is missing: ${why}`)
  }
  return [
    ...without(given, ["OPERATOR_OIDC_AUDIENCE"], "OPERATOR_OIDC_ISSUER needs"),
    ...(given["OPERATOR_OIDC_ROLE_CLAIM"] === undefined
      ? []
      : without(given, ["OPERATOR_OIDC_ROLES"], "OPERATOR_OIDC_ROLE_CLAIM needs")),
    ...(people.length > 0
      ? []
      : ["OPERATORS names nobody who signs in at OPERATOR_OIDC_ISSUER: add name:role:oidc-subject"])
  ]
}

const requiredOf = (given: string | undefined): ReadonlyArray<ClaimValue> =>
  listed(given).flatMap((entry) => {
    const [claim, value] = claimPair(entry) ?? []
    return claim === undefined || value === undefined ? [] : [{ claim, value }]
  })

const rolesOf = ({ OPERATOR_OIDC_ROLES: roles, OPERATOR_OIDC_ROLE_CLAIM: claim }: typeof Variables.Type) =>
  roles === undefined
    ? null
    : {
        claim: claim ?? "roles",
        of: new Map(
          listed(roles).flatMap((entry) => {
            const [value, role = ""] = rolePair(entry) ?? []
            return value !== undefined && isRole(role) ? [[value, role] as const] : []
          })
        )
      }

/** The identity provider of variables that were checked; null where there is none. */
export const oidcOf = (env: typeof Variables.Type, operators: string): OidcSettings | null => {
  const { OPERATOR_OIDC_AUDIENCE: audience, OPERATOR_OIDC_ISSUER: issuer } = env
  if (issuer === undefined || audience === undefined) return null
  const clients = listed(env.OPERATOR_OIDC_CLIENTS)
  const [tolerance, seconds] = [env.OPERATOR_OIDC_CLOCK_TOLERANCE_SECONDS, env.OPERATOR_OIDC_TOKEN_SECONDS_MAX]
  return {
    issuer,
    audience,
    clients: clients.length === 0 ? [audience] : clients,
    ...(tolerance === undefined ? {} : { clockToleranceSeconds: tolerance }),
    ...(seconds === undefined ? {} : { tokenSecondsMax: seconds }),
    policy: {
      operators: identifiedOf(operators),
      subjectClaim: env.OPERATOR_OIDC_SUBJECT_CLAIM ?? "sub",
      requiredClaims: requiredOf(env.OPERATOR_OIDC_REQUIRED_CLAIMS),
      roles: rolesOf(env)
    }
  }
}
