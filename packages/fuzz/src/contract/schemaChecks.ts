import Ajv2020 from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import type { Contract, JsonSchema } from "./Contract.ts"

/** Says what is wrong with a value by a schema of the contract; undefined where it is right. */
export type SchemaCheck = (schema: JsonSchema, value: unknown) => string | undefined

const root = "contract"

/** The checks of a contract, each compiled once. */
export const makeSchemaChecks = ({ document }: Contract): SchemaCheck => {
  const ajv = new Ajv2020.Ajv2020({ strict: false, allErrors: false })
  addFormats.default(ajv)
  ajv.addSchema({ $id: root, components: document["components"] })
  const compiled = new WeakMap<JsonSchema, ReturnType<typeof ajv.compile>>()
  const checkOf = (schema: JsonSchema) => {
    const known = compiled.get(schema)
    if (known !== undefined) return known
    // its references start at the document
    const text = JSON.stringify(schema).replaceAll('"#/components/', `"${root}#/components/`)
    const check = ajv.compile(JSON.parse(text))
    compiled.set(schema, check)
    return check
  }
  return (schema, value) => {
    const check = checkOf(schema)
    return check(value) ? undefined : ajv.errorsText(check.errors)
  }
}
