import { assert, describe, it } from "@effect/vitest"
import { Validator } from "@seriousme/openapi-schema-validator"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { errorCodes, isErrorCode } from "../../src/errors/Catalogue.ts"
import { openApiDocument, operatorOpenApiDocument } from "../../src/openapi/openApiDocument.ts"
import { reachableSchemas, references } from "../../src/openapi/references.ts"
import { specification, specifiedQueries } from "../support/specification.ts"

interface Media {
  readonly schema: Record<string, unknown>
  readonly example?: unknown
}

interface Answer {
  readonly description: string
  readonly headers: Record<string, unknown>
  readonly "x-error-codes"?: ReadonlyArray<string>
}

interface Operation {
  readonly operationId: string
  readonly parameters: ReadonlyArray<
    { readonly name: string; readonly in: string; readonly schema: object; readonly required: boolean } & {
      readonly $ref?: string
    }
  >
  readonly requestBody?: { readonly content: Record<string, Media> }
  readonly responses: Record<string, Answer & { readonly $ref?: string }>
  readonly security: ReadonlyArray<unknown>
  readonly "x-required-scope": string | null
  readonly "x-not-built"?: boolean
}

interface Document {
  readonly openapi: string
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: {
    readonly schemas: Record<string, Record<string, unknown>>
    readonly responses: Record<string, Answer>
  }
}

const unbuilt = new Set<string>()

const json = (value: unknown) => JSON.parse(JSON.stringify(value)) as Document
const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), "utf8")

const partner = json(openApiDocument())
const operator = json(operatorOpenApiDocument())

const operations = (document: Document) =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation }))
  )

const answers = (document: Document, { responses }: Operation) =>
  Object.entries(responses).flatMap(([status, answer]) => {
    const shared = document.components.responses[answer.$ref?.slice("#/components/responses/".length) ?? ""]
    const found = answer.$ref === undefined ? answer : shared
    return found === undefined ? [] : [{ status: Number(status), answer: found }]
  })

const partnerOperation = (name: string) => {
  const found = operations(partner).find((entry) => entry.name === name)
  assert.isDefined(found, name)
  return found.operation
}

for (const { document, file, title } of [
  { title: "partner", document: partner, file: "openapi.json" },
  { title: "operator", document: operator, file: "operator-openapi.json" }
]) {
  describe(`the ${title} document`, () => {
    it("is the committed one; run `generate` after a change of the contract", () => {
      assert.strictEqual(read(file), JSON.stringify(document, null, 2) + "\n")
    })

    it.effect("is valid OpenAPI 3.1.0", () =>
      Effect.gen(function* () {
        assert.strictEqual(document.openapi, "3.1.0")
        const result = yield* Effect.promise(() =>
          new Validator().validate(JSON.parse(JSON.stringify(document)) as Record<string, unknown>)
        )
        assert.deepStrictEqual(result, { valid: true })
      })
    )

    it("has a target for every reference, and a reference for every schema", () => {
      for (const reference of references(document)) {
        const target = reference
          .slice(2)
          .split("/")
          .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], document)
        assert.isDefined(target, reference)
      }
      const { schemas, ...components } = document.components
      const reached = reachableSchemas({ ...document, components }, schemas)
      const standalone = new Set(["DepositEventData", "OperationEventData", "XpubEventData"])
      assert.deepStrictEqual(
        Object.keys(schemas).filter((key) => !reached.has(key) && !standalone.has(key)),
        []
      )
    })

    it("gives every answer an X-Request-Id, and every error its codes", () => {
      for (const { name, operation } of operations(document)) {
        for (const { answer, status } of answers(document, operation)) {
          assert.property(answer.headers, "X-Request-Id", `${name} ${status}`)
          const codes = answer["x-error-codes"]
          assert.strictEqual(codes !== undefined && codes.length > 0, status >= 400, `${name} ${status}`)
          for (const code of codes ?? []) assert.include(answer.description, `\`${code}\``)
        }
      }
    })

    it("shows an example of every request body, and says how each operation is authenticated", () => {
      for (const { name, operation } of operations(document)) {
        // who signs in has no credential yet but the one in the body
        assert.lengthOf(operation.security, name === "POST /operator/v1/sign-in" ? 0 : 1, name)
        for (const media of Object.values(operation.requestBody?.content ?? {})) assert.property(media, "example", name)
      }
    })

    it("has no parameter whose number or flag is written as text", () => {
      for (const { name, operation } of operations(document)) {
        assert.notInclude(JSON.stringify(operation.parameters), "x-integer", name)
        for (const parameter of operation.parameters) {
          if (/^(?:limit|after|include_)/u.test(parameter.name ?? "")) {
            const schema = parameter.schema as { readonly type: string; readonly format?: string }
            assert.isTrue(schema.type !== "string" || schema.format === "uuid", `${name} ${parameter.name}`)
          }
        }
      }
    })
  })
}

describe("the partner document against the specification", () => {
  it("has exactly the operations of the specification", () => {
    assert.deepStrictEqual(
      operations(partner)
        .map(({ name }) => name)
        .toSorted(),
      specification.map(({ method, path }) => `${method} ${path}`).toSorted()
    )
  })

  for (const { idempotencyKey, method, path, scope, signed, success } of specification) {
    it(`${method} ${path}: scope, headers and success status`, () => {
      const operation = partnerOperation(`${method} ${path}`)
      const refs = new Set(operation.parameters.map((parameter) => parameter.$ref))
      assert.strictEqual(operation["x-required-scope"], scope)
      assert.strictEqual(refs.has("#/components/parameters/IdempotencyKey"), idempotencyKey)
      assert.strictEqual(refs.has("#/components/parameters/Signature"), signed)
      assert.deepStrictEqual(
        Object.keys(operation.responses).filter((status) => status < "300"),
        [String(success)]
      )
      assert.deepStrictEqual(
        operation.parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name),
        Array.from(path.matchAll(/\{(\w+)\}/gu), ([, name]) => name)
      )
      for (const status of ["401", "422", "429", "500"]) assert.property(operation.responses, status)
    })
  }

  it("has the query parameters of the specification, with their ranges and defaults", () => {
    for (const { name, operation } of operations(partner)) {
      const found = operation.parameters.filter((parameter) => parameter.in === "query")
      assert.deepStrictEqual(
        Object.fromEntries(found.map((parameter) => [parameter.name, parameter.schema])),
        { ...specifiedQueries[name] },
        name
      )
      assert.deepStrictEqual(
        found.filter(({ required }) => required).map((parameter) => parameter.name),
        name === "GET /v1/float/statement" ? ["currency"] : [],
        name
      )
    }
  })

  it("closes what is sent to the service and leaves answers open to new fields", () => {
    const { schemas } = partner.components
    for (const name of ["CreateWithdrawal", "CreateChainPayout", "ChainDestinationIn", "MoneyIn", "AddressIn"]) {
      assert.strictEqual(schemas[name]?.["additionalProperties"], false, name)
    }
    for (const name of ["Withdrawal", "Money", "Error", "WhoAmI"]) {
      assert.notProperty(schemas[name], "additionalProperties", name)
    }
  })

  it("answers every code of the catalogue somewhere, but those of no operation or of operators alone", () => {
    const answered = new Set(
      operations(partner).flatMap(({ operation }) =>
        answers(partner, operation).flatMap(({ answer }) => answer["x-error-codes"] ?? [])
      )
    )
    assert.isTrue(Array.from(answered).every(isErrorCode))
    assert.deepStrictEqual(
      errorCodes.filter((code) => !answered.has(code)),
      ["method_not_allowed", "grant_required", "another_operator"]
    )
  })

  it("marks what is not served yet", () => {
    for (const { name, operation } of operations(partner)) {
      assert.strictEqual(operation["x-not-built"] === true, unbuilt.has(name), name)
    }
  })
})
