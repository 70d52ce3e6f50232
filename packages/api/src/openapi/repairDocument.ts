import type { HttpApi, OpenApi } from "effect/http-api"
import { entryOf, type ErrorCode } from "../errors/Catalogue.ts"
import { headerComponents, parameterComponents, requestHeaders, responseHeaders } from "./headers.ts"
import { type Operation, operationsOf } from "./Operation.ts"
import { byStatus, operatorCodes, partnerCodes } from "./operationCodes.ts"
import { reachableSchemas } from "./references.ts"
import { presetNetworks } from "../wire/Network.ts"
import { repairParameter } from "./repairParameter.ts"
import { webhooks } from "./webhooks.ts"

interface Interface {
  /** The codes an operation may answer. */
  readonly codes: (operation: Operation) => ReadonlySet<ErrorCode>
  /** Whether requests are counted against rates. */
  readonly limited: boolean
  /** Whether scopes and keys are those of partners. */
  readonly partner: boolean
}

type Spec = OpenApi.OpenAPISpec
type SpecOperation = OpenApi.OpenAPISpecOperation

const errorContent = { "application/json": { schema: { $ref: "#/components/schemas/Error" } } }

const pascalCase = (code: string): string =>
  code
    .split("_")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("")

// The answers that are the same wherever their codes are; those to 409 and 422 vary in their headers.
const isShared = (status: number, answered: ReadonlyArray<ErrorCode>): boolean =>
  status !== 409 && status !== 422 && answered.length <= 3

const responsesOf = (
  spec: SpecOperation,
  operation: Operation,
  { codes, limited }: Interface,
  shared: Map<string, object>
) => {
  const successes = Object.entries(spec.responses)
    .filter(([status]) => Number(status) < 300)
    .map(([status, response]) => [
      status,
      {
        ...response,
        description: "Success.",
        headers: responseHeaders(operation, Number(status), limited)
      }
    ])
  const errors = Array.from(byStatus(codes(operation)), ([status, answered]) => {
    const response = {
      description: answered.map((code) => `\`${code}\`: ${entryOf(code).message}`).join("\n"),
      headers: responseHeaders(operation, status, limited),
      content: errorContent,
      "x-error-codes": answered
    }
    if (!isShared(status, answered)) return [String(status), response]
    const name = answered.map(pascalCase).join("Or") + (operation.needsSignature && status === 401 ? "Signed" : "")
    shared.set(name, response)
    return [String(status), { $ref: `#/components/responses/${name}` }]
  })
  return Object.fromEntries([...successes, ...errors])
}

const describe = ({ built, conditionalScope, needsIdempotencyKey, needsSignature, scope }: Operation, text: string) =>
  [
    text,
    scope === null ? "Scope: none, any valid key." : `Scope: \`${scope}\`.`,
    conditionalScope === null ? "" : `With \`${conditionalScope.whenField}\`, also \`${conditionalScope.scope}\`.`,
    needsIdempotencyKey ? "Needs an idempotency key." : "",
    needsSignature ? "Needs a signature." : "",
    built ? "" : "Not served yet."
  ]
    .filter((part) => part !== "")
    .join("\n\n")

const exampleOf = (schema: object, schemas: Readonly<Record<string, object>>): object => {
  const [name] = reachableSchemas(schema, {})
  const described = name === undefined ? schema : schemas[name]
  const examples = described !== undefined && "examples" in described ? described.examples : undefined
  return Array.isArray(examples) && examples.length > 0 ? { example: examples[0] } : {}
}

const requestBodyOf = (body: OpenApi.OpenAPISpecRequestBody, schemas: Spec["components"]["schemas"]) => ({
  ...body,
  content: Object.fromEntries(
    Object.entries(body.content).map(([type, media]) => [type, { ...media, ...exampleOf(media.schema, schemas) }])
  )
})

const repairOperation = (
  spec: SpecOperation,
  operation: Operation,
  document: Spec,
  of: Interface,
  shared: Map<string, object>
) => ({
  ...spec,
  description: of.partner
    ? describe(operation, spec.description ?? "")
    : `${spec.description ?? ""}\n\nRole: \`${operation.role}\`.`,
  parameters: [
    ...spec.parameters.filter((parameter) => parameter.in !== "header").map(repairParameter),
    ...requestHeaders(operation)
  ],
  ...(spec.requestBody === undefined
    ? {}
    : { requestBody: requestBodyOf(spec.requestBody, document.components.schemas) }),
  responses: responsesOf(spec, operation, of, shared),
  ...(of.partner
    ? {
        "x-required-scope": operation.scope,
        ...(operation.conditionalScope === null
          ? {}
          : {
              "x-conditional-scope": {
                scope: operation.conditionalScope.scope,
                "when-field": operation.conditionalScope.whenField
              }
            }),
        "x-needs-idempotency-key": operation.needsIdempotencyKey,
        "x-needs-signature": operation.needsSignature,
        ...(operation.built ? {} : { "x-not-built": true })
      }
    : {
        "x-required-role": operation.role,
        ...(operation.consent.grant !== null && { "x-takes-grant": operation.consent.grant }),
        ...(operation.consent.who === "another" && { "x-takes-another-operator": true })
      })
})

// Answers may gain fields within v1, so only what is sent to the service is closed.
const openAnswers = (schemas: Spec["components"]["schemas"], sent: ReadonlySet<string>) =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      if (sent.has(name) || schema["additionalProperties"] !== false) return [name, schema]
      const { additionalProperties: _closed, ...open } = schema
      return [name, open]
    })
  )

// The document names the networks of the contract; a service may know more, so validation takes any (`wire/Network.ts`).
const namedNetworks = (schemas: Spec["components"]["schemas"]) =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      name === "Network" ? { ...schema, enum: [...presetNetworks] } : schema
    ])
  )

const repair =
  (api: HttpApi.Constraint, of: Interface) =>
  (document: Spec): object => {
    const operations = new Map(
      operationsOf(api).map((operation) => [`${operation.method.toLowerCase()} ${operation.path}`, operation])
    )
    const shared = new Map<string, object>()
    const paths = Object.entries(document.paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([method, spec]) => {
          // Path items hold nothing but operations here: the generator adds shared parameters nowhere.
          const operation = operations.get(`${method} ${path}`)
          if (operation === undefined) return [method, spec]
          return [method, repairOperation(spec as SpecOperation, operation, document, of, shared)]
        })
      )
    ])
    const requests = Object.values(document.paths).flatMap((item) =>
      Object.values(item).map((spec) => ("requestBody" in spec ? spec.requestBody : undefined))
    )
    return {
      ...document,
      paths: Object.fromEntries(paths),
      ...(of.partner ? { webhooks } : {}),
      components: {
        schemas: openAnswers(
          namedNetworks(document.components.schemas),
          reachableSchemas(requests, document.components.schemas)
        ),
        responses: Object.fromEntries([...shared].toSorted(([a], [b]) => (a < b ? -1 : 1))),
        headers: headerComponents,
        parameters: parameterComponents,
        securitySchemes: document.components.securitySchemes
      }
    }
  }

/** Adds to the generated partner document what the generator cannot know of it. */
export const repairPartnerDocument = (api: HttpApi.Constraint): OpenApi.Transform["Service"] => {
  const transform = repair(api, { codes: partnerCodes, limited: true, partner: true })
  return (document) => transform(document as Spec) // the generator hands over the document it has just made
}

/** Adds to the generated operator document what the generator cannot know of it. */
export const repairOperatorDocument = (api: HttpApi.Constraint): OpenApi.Transform["Service"] => {
  const transform = repair(api, { codes: operatorCodes, limited: false, partner: false })
  return (document) => transform(document as Spec) // the generator hands over the document it has just made
}
