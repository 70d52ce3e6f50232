import {
  operatorNamePattern,
  type OperatorRole,
  operatorRoles,
  sharedOperatorName
} from "@bursar/api/operator/Operator"
import { Redacted, Schema } from "effect"

/** An operator with a token of its own. */
export interface NamedOperator {
  readonly name: string
  readonly role: OperatorRole
  readonly token: Redacted.Redacted
}

const form = /^([^:\s]+):([a-z]+):(\S{32,})$/u

const isRole = (text: string): text is OperatorRole => operatorRoles.some((role) => role === text)

const entries = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")

/** Names are told apart without regard to case, so that nobody is two people. */
const readOperator = (entry: string): NamedOperator | undefined => {
  const [, given = "", role = "", token = ""] = form.exec(entry) ?? []
  const name = given.toLowerCase()
  return isRole(role) && operatorNamePattern.test(name) ? { name, role, token: Redacted.make(token) } : undefined
}

const hasTwice = (texts: ReadonlyArray<string>): boolean => new Set(texts).size < texts.length

/** The operators of a text that was checked. */
export const operatorsOf = (text: string): ReadonlyArray<NamedOperator> =>
  entries(text).flatMap((entry) => readOperator(entry) ?? [])

const mistakeIn = (text: string): string | undefined => {
  const operators = operatorsOf(text)
  if (operators.length < entries(text).length) {
    return `Expected name:role:token with a role of ${operatorRoles.join(", ")} and a token of at least 32 characters, several with commas`
  }
  if (operators.some(({ name }) => name === sharedOperatorName))
    return `Expected another name than ${sharedOperatorName}, which is that of the shared token`
  if (hasTwice(operators.map(({ name }) => name))) return "Expected every operator once"
  return hasTwice(operators.map(({ token }) => Redacted.value(token)))
    ? "Expected a token of its own for every operator"
    : undefined
}

/** `name:role:token`, several with commas; a token has 32 characters at least and is one operator's alone. */
export const operatorsText = Schema.String.check(Schema.makeFilter(mistakeIn))
