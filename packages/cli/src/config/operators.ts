import { type OperatorRole, operatorRoles } from "@bursar/api/operator/Operator"
import { Redacted, Schema } from "effect"

/** An operator with a token of its own. */
export interface NamedOperator {
  readonly name: string
  readonly role: OperatorRole
  readonly token: Redacted.Redacted
}

const form = /^([\w.@-]{1,64}):([a-z]+):(\S{32,})$/u

const isRole = (text: string): text is OperatorRole => operatorRoles.some((role) => role === text)

const entries = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")

const readOperator = (entry: string): NamedOperator | undefined => {
  const [, name = "", role = "", token = ""] = form.exec(entry) ?? []
  return isRole(role) ? { name, role, token: Redacted.make(token) } : undefined
}

/** `name:role:token`, several with commas; a token has 32 characters at least. */
export const operatorsText = Schema.String.check(
  Schema.makeFilter((text) =>
    entries(text).every((entry) => readOperator(entry) !== undefined)
      ? undefined
      : `Expected name:role:token with a role of ${operatorRoles.join(", ")} and a token of at least 32 characters, several with commas`
  )
)

/** The operators of a text that was checked. */
export const operatorsOf = (text: string): ReadonlyArray<NamedOperator> =>
  entries(text).flatMap((entry) => readOperator(entry) ?? [])
