import { routeOf } from "@bursar/api/annotations/routeOf"
import { Effect, Schema, SchemaAST } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiError, type HttpApiEndpoint } from "effect/http-api"

/** Whether a value has the shape of a schema, so that it can be written as it is. */
type Fits = (value: unknown) => boolean

/** Whether a value is an object that is written as its fields: one of a class may have a form of its own. */
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype

const objectFits = ({ indexSignatures, propertySignatures }: SchemaAST.Objects): Fits => {
  if (propertySignatures.length === 0) return indexSignatures.length > 0 ? isRecord : () => false
  const fields = propertySignatures.map(({ name, type }) => ({
    name: String(name),
    isOptional: SchemaAST.isOptional(type),
    fits: fitsOf(type)
  }))
  return (value) => {
    if (!isRecord(value)) return false
    let found = 0
    for (const { fits, isOptional, name } of fields) {
      const field = value[name]
      if (field === undefined) {
        // what is written as undefined is no field that is left out
        if (!isOptional || name in value) return false
      } else if (fits(field)) found += 1
      else return false
    }
    // a field that the contract does not know must not be told
    let there = 0
    for (const _ in value) there += 1
    return there === found
  }
}

const arrayFits = ({ elements, rest }: SchemaAST.Arrays): Fits => {
  const [every] = rest
  if (elements.length > 0 || rest.length !== 1 || every === undefined) return () => false
  const fits = fitsOf(every)
  return (value) => {
    if (!Array.isArray(value)) return false
    for (const one of value) if (!fits(one)) return false
    return true
  }
}

const isPlainLiteral = (ast: SchemaAST.AST): ast is SchemaAST.Literal =>
  ast._tag === "Literal" && ast.checks === undefined && ast.encoding === undefined

const unionFits = ({ types }: SchemaAST.Union): Fits => {
  const literals = new Set<unknown>(types.flatMap((one) => (isPlainLiteral(one) ? [one.literal] : [])))
  const others = types.filter((one) => !isPlainLiteral(one)).map(fitsOf)
  return (value) => literals.has(value) || others.some((fits) => fits(value))
}

/** Tells values of a schema by their shape, and by what else the schema demands: that an amount is a decimal, not any text. */
const fitsOf = (ast: SchemaAST.AST): Fits => {
  const { checks } = ast
  const shapeFits = shapeOf(ast)
  return checks === undefined ? shapeFits : (value) => shapeFits(value) && holds(checks, value, ast)
}

const holds = (checks: SchemaAST.Checks, value: unknown, ast: SchemaAST.AST): boolean =>
  checks.every((check) =>
    check._tag === "FilterGroup" ? holds(check.checks, value, ast) : check.run(value, ast, {}) === undefined
  )

/** Tells values of a schema by their shape alone. What is written in another form than it is held in, or not known here, never fits. */
const shapeOf = (ast: SchemaAST.AST): Fits => {
  if (ast.encoding !== undefined) return () => false
  switch (ast._tag) {
    case "String":
      return (value) => typeof value === "string"
    case "Number":
      return (value) => typeof value === "number" && Number.isFinite(value)
    case "Boolean":
      return (value) => typeof value === "boolean"
    case "Null":
      return (value) => value === null
    case "Literal":
      return (value) => value === ast.literal
    case "Objects":
      return objectFits(ast)
    case "Arrays":
      return arrayFits(ast)
    case "Union":
      return unionFits(ast)
    case "Declaration":
      // any JSON stands as it is
      return ast === Schema.Json.ast ? () => true : () => false
    default:
      return () => false
  }
}

/**
 * Makes what writes the answers of an endpoint. A value of the shape that the contract says is written at once. Any other goes through
 * the contract's schema, which leaves out what is not to be told, and dies of what cannot be told.
 */
export const makeAnswer = (endpoint: HttpApiEndpoint.Top) => {
  const { status } = routeOf(endpoint)
  const [schema, ...more] = endpoint.success
  if (schema === undefined || more.length > 0)
    throw new Error(`${endpoint.identifier} does not have one kind of success`)
  const fits = fitsOf(schema.ast)
  // the answers of a contract need nothing of their surroundings to be written
  const encode = Schema.encodeUnknownExit(schema as unknown as Schema.ConstraintEncoder<unknown>)
  const options = { status, contentType: "application/json" }
  return (value: unknown): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
    if (HttpServerResponse.isHttpServerResponse(value)) return Effect.succeed(value)
    if (fits(value)) return Effect.succeed(HttpServerResponse.text(JSON.stringify(value), options))
    const encoded = encode(value)
    const written = Effect.mapEager(encoded, (body) => HttpServerResponse.text(JSON.stringify(body), options))
    return Effect.orDie(HttpApiError.HttpApiSchemaError.wrap("Body", written))
  }
}
