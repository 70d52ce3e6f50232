import {
  operatorNamePattern,
  type OperatorRole,
  operatorRoles,
  sharedOperatorName
} from "@bursar/api/operator/Operator"
import type { NamedOperator } from "@bursar/server/config/ServerConfig"
import type { IdentifiedOperator } from "@bursar/server/identity/SignInPolicy"
import { Schema } from "effect"

/** `name:role:credential`: a token's hash, with a day perhaps, or `oidc-` and the subject as a part of a URL. */
const form = /^([^:\s]+):([a-z]+):(?:sha256-([0-9a-f]{64})(?::(\d{4}-\d{2}-\d{2}))?|oidc-([^:\s]{1,765}))$/u

const isRole = (text: string): text is OperatorRole => operatorRoles.some((role) => role === text)

const entries = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")

/** The moment at which a day begins in UTC; undefined where there is no such day. */
const startOf = (day: string): number | undefined => {
  const at = Date.parse(`${day}T00:00:00Z`)
  return Number.isNaN(at) || !new Date(at).toISOString().startsWith(day) ? undefined : at
}

type Entry = NamedOperator | IdentifiedOperator

/** What stands for a subject in an entry, which has no comma, colon or space of its own. */
const readSubject = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Names are told apart without regard to case, so that nobody is two people. */
const readOperator = (entry: string): Entry | undefined => {
  const [, given = "", role = "", tokenHash, day, written] = form.exec(entry) ?? []
  const name = given.toLowerCase()
  if (!isRole(role) || !operatorNamePattern.test(name)) return undefined
  if (written !== undefined) {
    const subject = readSubject(written)
    return subject === undefined ? undefined : { name, role, subject }
  }
  const expiresAt = day === undefined ? null : startOf(day)
  return tokenHash === undefined || expiresAt === undefined ? undefined : { name, role, tokenHash, expiresAt }
}

/** An operator as it stands in OPERATORS, with the day (in UTC) at whose start the token expires. */
export const writeOperator = (operator: Omit<NamedOperator, "expiresAt"> & { readonly day?: string }): string => {
  const { day, name, role, tokenHash } = operator
  return [name, role, `sha256-${tokenHash}`, ...(day === undefined ? [] : [day])].join(":")
}

const hasTwice = (texts: ReadonlyArray<string>): boolean => new Set(texts).size < texts.length

/** An operator that signs in at the identity provider, as it stands in OPERATORS. */
export const writeIdentified = ({ name, role, subject }: IdentifiedOperator): string =>
  `${name}:${role}:oidc-${encodeURIComponent(subject)}`

const entriesOf = (text: string): ReadonlyArray<Entry> => entries(text).flatMap((entry) => readOperator(entry) ?? [])

/** The operators with tokens of their own of a text that was checked. */
export const operatorsOf = (text: string): ReadonlyArray<NamedOperator> =>
  entriesOf(text).filter((entry) => "tokenHash" in entry)

/** The operators that sign in at the identity provider of a text that was checked. */
export const identifiedOf = (text: string): ReadonlyArray<IdentifiedOperator> =>
  entriesOf(text).filter((entry) => "subject" in entry)

/** Somebody who has different roles by how the person signs in. */
const ofTwoRoles = (operators: ReadonlyArray<Entry>): string | undefined =>
  operators.find(({ name, role }) => operators.some((other) => other.name === name && other.role !== role))?.name

const mistakeIn = (text: string): string | undefined => {
  const operators = entriesOf(text)
  if (operators.length < entries(text).length) {
    return `Expected name:role:sha256-hash, then perhaps :YYYY-MM-DD, or name:role:oidc-subject, with a role of ${operatorRoles.join(", ")}, several with commas; bursar operator token makes one`
  }
  if (operators.some(({ name }) => name === sharedOperatorName))
    return `Expected another name than ${sharedOperatorName}, which is that of the shared token`
  if (hasTwice(operatorsOf(text).map(({ name }) => name))) return "Expected every operator once"
  if (hasTwice(operatorsOf(text).map(({ tokenHash }) => tokenHash)))
    return "Expected a token of its own for every operator"
  if (hasTwice(identifiedOf(text).map(({ subject }) => subject)))
    return "Expected every subject of the identity provider once: one person would be two"
  return ofTwoRoles(operators) === undefined ? undefined : "Expected the same role in all entries of an operator"
}

/** `name:role:sha256-hash:day` or `name:role:oidc-subject`, several with commas. The service never holds the tokens themselves. */
export const operatorsText = Schema.String.check(Schema.makeFilter(mistakeIn))
