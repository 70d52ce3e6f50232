import { Schema, SchemaAST } from "effect"

/** Whether a value is one of a schema, as it stands. */
export type Fits = (value: unknown) => boolean

/** Whether a value is an object that is written as its fields: one of a class may have a form of its own. */
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype

const isPlainText = (ast: SchemaAST.AST): boolean =>
  ast._tag === "String" && ast.checks === undefined && ast.encoding === undefined

/** Of records with fields of any name. */
const indexedFits = ([signature, ...more]: ReadonlyArray<SchemaAST.IndexSignature>): Fits => {
  if (signature === undefined || more.length > 0 || !isPlainText(signature.parameter)) return () => false
  const fits = fitsOf(signature.type)
  return (value) => {
    if (!isRecord(value)) return false
    for (const name in value) if (!fits(value[name])) return false
    return true
  }
}

const objectFits = ({ indexSignatures, propertySignatures }: SchemaAST.Objects): Fits => {
  if (indexSignatures.length > 0) return propertySignatures.length === 0 ? indexedFits(indexSignatures) : () => false
  if (propertySignatures.length === 0) return () => false
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

const unionFits = ({ options, types }: SchemaAST.Union): Fits => {
  if (options?.mode === "oneOf") return () => false
  const literals = new Set<unknown>(types.flatMap((one) => (isPlainLiteral(one) ? [one.literal] : [])))
  const others = types.filter((one) => !isPlainLiteral(one)).map(fitsOf)
  return (value) => literals.has(value) || others.some((fits) => fits(value))
}

/**
 * Makes what tells values of a schema by their shape, and by what else the schema demands: that an amount is a decimal, not any text. It
 * is much faster than the schema, and says yes to nothing that the schema refuses. A no says nothing: the schema has to be asked.
 */
export const fitsOf = (ast: SchemaAST.AST): Fits => {
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
