import { block, code, prose, table } from "./text.mjs"

const methods = ["get", "put", "post", "patch", "delete"]

const lastOf = (reference) => reference.slice(reference.lastIndexOf("/") + 1)

/** The heading of a schema, as an anchor of this page. */
const anchorOf = (name) => `schema-${name.toLowerCase()}`

const bounds = ({ maximum, maxItems, maxLength, minimum, minItems, minLength }) => {
  const range = (least, most, unit) => {
    if (least === undefined && most === undefined) return []
    if (most === undefined || most === Number.MAX_SAFE_INTEGER)
      return least === undefined ? [] : [`from ${least}${unit}`]
    return [least === undefined ? `up to ${most}${unit}` : `${least} to ${most}${unit}`]
  }
  return [
    ...range(minimum, maximum, ""),
    ...range(minLength, maxLength, " characters"),
    ...range(minItems, maxItems, " entries")
  ]
}

/** The type of a value in a few words. */
const typeOf = (schema) => {
  if (schema.$ref !== undefined) return `[${lastOf(schema.$ref)}](#${anchorOf(lastOf(schema.$ref))})`
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return choices.map(typeOf).join(" or ")
  if (schema.enum !== undefined) return schema.enum.map((value) => code(JSON.stringify(value))).join(", ")
  if (schema.const !== undefined) return code(JSON.stringify(schema.const))
  if (schema.type === "array") return `list of ${typeOf(schema.items ?? {})}`
  return [schema.format ?? schema.type ?? "any value", ...bounds(schema)].join(", ")
}

const properties = ({ properties: all = {}, required = [] }) =>
  table(
    ["field", "type", ""],
    Object.entries(all).map(([name, schema]) => [
      code(name),
      typeOf(schema),
      [...(required.includes(name) ? [] : ["optional."]), prose(schema.description ?? "")].join(" ").trim()
    ])
  )

/** Headers that stand on every call, or that a line of the description tells. */
const everywhere = new Set(["RequestId", "IdempotencyKey", "ContentDigest", "SignatureInput", "Signature"])

const parameters = (document, list) => {
  const told = list
    .filter(({ $ref }) => $ref === undefined || !everywhere.has(lastOf($ref)))
    .map((one) => (one.$ref === undefined ? one : document.components.parameters[lastOf(one.$ref)]))
  if (told.length === 0) return []
  const rows = told.map(({ description = "", in: place, name, required, schema }) => [
    code(name),
    place,
    typeOf(schema),
    [
      ...(required
        ? []
        : [schema.default === undefined ? "optional." : `${code(String(schema.default))} if left out.`]),
      prose(description)
    ]
      .join(" ")
      .trim()
  ])
  return [table(["parameter", "in", "type", ""], rows)]
}

const bodyOf = ({ content = {} } = {}) => content["application/json"]

const successes = (responses) =>
  Object.entries(responses)
    .filter(([status]) => status.startsWith("2"))
    .map(([status, response]) => {
      const body = bodyOf(response)
      return `Answers ${status}${body === undefined ? "" : ` with ${typeOf(body.schema)}`}.`
    })

const refusals = (document, responses, errorsPage) => {
  const codes = Object.values(responses)
    .map((one) => (one.$ref === undefined ? one : document.components.responses[lastOf(one.$ref)]))
    .flatMap((one) => one["x-error-codes"] ?? [])
  if (codes.length === 0) return []
  const shown = codes.map((one) => (errorsPage === undefined ? code(one) : `[${code(one)}](${errorsPage}#${one})`))
  return [`::: details Refusals\n${shown.join(", ")}\n:::`]
}

const operation = (document, errorsPage, { method, path, told }) => {
  const body = bodyOf(told.requestBody)
  return [
    `### ${method.toUpperCase()} ${path.replace(/\{/g, "\\{")}`,
    `**${prose(told.summary ?? told.operationId)}.** ${code(told.operationId)}`,
    prose(told.description ?? ""),
    ...parameters(document, told.parameters ?? []),
    ...(body === undefined ? [] : [`Takes ${typeOf(body.schema)}.`]),
    ...(body?.example === undefined ? [] : [block("json", JSON.stringify(body.example, null, 2))]),
    ...successes(told.responses),
    ...refusals(document, told.responses, errorsPage)
  ].join("\n\n")
}

const schemaSection = ([name, schema]) =>
  [
    `### ${name} {#${anchorOf(name)}}`,
    ...(schema.description === undefined ? [] : [prose(schema.description)]),
    schema.properties === undefined ? typeOf(schema) : properties(schema),
    ...(schema.examples === undefined ? [] : [block("json", JSON.stringify(schema.examples[0], null, 2))])
  ].join("\n\n")

/**
 * The page of the manual about an OpenAPI document: its operations by tag, then its schemas. `errorsPage` is where error
 * codes are explained, if they are.
 */
export const openApiPage = (document, errorsPage) => {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    methods.filter((method) => item[method] !== undefined).map((method) => ({ path, method, told: item[method] }))
  )
  const tags = document.tags.flatMap(({ description, name }) => {
    const own = operations.filter(({ told }) => told.tags?.includes(name))
    return [`## ${name}`, prose(description ?? ""), ...own.map((one) => operation(document, errorsPage, one))]
  })
  return [
    "---\noutline: [2, 3]\n---",
    `# ${document.info.title}`,
    prose(document.info.description ?? ""),
    "Taken from the contract. A running service has it as `/openapi.json`, and as `/docs`, where requests can be tried.",
    ...tags,
    "## Schemas",
    ...Object.entries(document.components.schemas).map(schemaSection)
  ].join("\n\n")
}
