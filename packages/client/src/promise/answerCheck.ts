import { SchemaAST } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"

/** Whether a body can be what was asked for. */
export type AnswerCheck = (body: unknown) => boolean

const isRequired = ({ type }: SchemaAST.PropertySignature): boolean => !SchemaAST.isOptional(type)

const checkOf = (ast: SchemaAST.AST): AnswerCheck => {
  if (!SchemaAST.isObjects(ast)) return Array.isArray
  const names = ast.propertySignatures.filter(isRequired).map(({ name }) => name)
  return (body) => {
    if (typeof body !== "object" || body === null || Array.isArray(body)) return false
    return names.filter((name) => name in body).length * 2 >= names.length
  }
}

/**
 * What tells the answer of an endpoint from JSON that something in between wrote, such as a page that says that the service is down. An object
 * has at least half of the members that the contract requires, whatever their values: one of an older service lacks what was added since,
 * one of a later service has more, and neither may make an error of a payout that was accepted.
 */
export const answerCheck = ({ success }: Pick<HttpApiEndpoint.Top, "success">): AnswerCheck => {
  const checks = Array.from(success, ({ ast }) => checkOf(SchemaAST.toEncoded(ast)))
  return (body) => checks.some((check) => check(body))
}
