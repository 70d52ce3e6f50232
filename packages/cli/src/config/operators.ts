import {
  operatorNamePattern,
  type OperatorRole,
  operatorRoles,
  sharedOperatorName
} from "@bursar/api/operator/Operator"
import type { NamedOperator } from "@bursar/server/config/ServerConfig"
import { Schema } from "effect"

const form = /^([^:\s]+):([a-z]+):sha256-([0-9a-f]{64})(?::(\d{4}-\d{2}-\d{2}))?$/u

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

/** Names are told apart without regard to case, so that nobody is two people. */
const readOperator = (entry: string): NamedOperator | undefined => {
  const [, given = "", role = "", tokenHash = "", day] = form.exec(entry) ?? []
  const name = given.toLowerCase()
  const expiresAt = day === undefined ? null : startOf(day)
  if (!isRole(role) || !operatorNamePattern.test(name) || expiresAt === undefined) return undefined
  return { name, role, tokenHash, expiresAt }
}

/** An operator as it stands in OPERATORS, with the day (in UTC) at whose start the token expires. */
export const writeOperator = (operator: Omit<NamedOperator, "expiresAt"> & { readonly day?: string }): string => {
  const { day, name, role, tokenHash } = operator
  return [name, role, `sha256-${tokenHash}`, ...(day === undefined ? [] : [day])].join(":")
}

const hasTwice = (texts: ReadonlyArray<string>): boolean => new Set(texts).size < texts.length

/** The operators of a text that was checked. */
export const operatorsOf = (text: string): ReadonlyArray<NamedOperator> =>
  entries(text).flatMap((entry) => readOperator(entry) ?? [])

const mistakeIn = (text: string): string | undefined => {
  const operators = operatorsOf(text)
  if (operators.length < entries(text).length) {
    return `Expected name:role:sha256-hash, then perhaps :YYYY-MM-DD, with a role of ${operatorRoles.join(", ")}, several with commas; bursar operator token makes one`
  }
  if (operators.some(({ name }) => name === sharedOperatorName))
    return `Expected another name than ${sharedOperatorName}, which is that of the shared token`
  if (hasTwice(operators.map(({ name }) => name))) return "Expected every operator once"
  return hasTwice(operators.map(({ tokenHash }) => tokenHash))
    ? "Expected a token of its own for every operator"
    : undefined
}

/** `name:role:sha256-hash:day`, several with commas. The service never holds the tokens themselves. */
export const operatorsText = Schema.String.check(Schema.makeFilter(mistakeIn))
