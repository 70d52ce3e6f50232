import { integerMark } from "../wire/QueryParameters.ts"

interface ParameterSchema {
  readonly enum?: ReadonlyArray<unknown>
  readonly allOf?: ReadonlyArray<Record<string, unknown>>
  readonly [key: string]: unknown
}

const isFlag = ({ enum: values }: ParameterSchema): boolean =>
  values?.length === 2 && values.includes("true") && values.includes("false")

/** A parameter with its true JSON type: the generator writes every number and flag as text. */
export const repairParameter = (parameter: { readonly name: string; readonly in: string; readonly schema: object }) => {
  const schema = parameter.schema as ParameterSchema // a JSON Schema object
  const range = schema[integerMark] ?? schema.allOf?.find((part) => integerMark in part)?.[integerMark]
  if (range !== undefined) return { ...parameter, schema: { type: "integer", ...(range as object) } }
  if (isFlag(schema)) return { ...parameter, schema: { type: "boolean", default: false } }
  return parameter
}
