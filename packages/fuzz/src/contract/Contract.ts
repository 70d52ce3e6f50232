/** A JSON schema, as the document of the contract has it. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly pattern?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly items?: JsonSchema
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
}

/** A parameter of a path or a query. */
export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: JsonSchema
}

/** What the contract says of one status of an operation. */
export interface DocumentedResponse {
  /** The names of the headers, in lower case. */
  readonly headers: ReadonlySet<string>
  readonly schema: JsonSchema | null
  /** What its body may be; empty where it has none. */
  readonly types: ReadonlySet<string>
  /** The error codes that it may carry; empty for a success. */
  readonly codes: ReadonlySet<string>
}

/** An operation of the contract. */
export interface Operation {
  /** `POST /v1/swaps`, with the path as a template. */
  readonly name: string
  readonly method: string
  readonly path: string
  readonly parameters: ReadonlyArray<Parameter>
  /** The schema of its body; null where it takes none. */
  readonly body: JsonSchema | null
  readonly example: unknown
  readonly signed: boolean
  readonly keyed: boolean
  readonly scope: string | null
  /** Whether its answer goes on for as long as somebody listens. */
  readonly endless: boolean
  readonly responses: ReadonlyMap<string, DocumentedResponse>
}

/** The contract of a running service, read from its own document. */
export interface Contract {
  readonly operations: ReadonlyArray<Operation>
  /** The document itself, in which references lead on. */
  readonly document: Readonly<Record<string, unknown>>
  /** What a reference leads to; a schema without one is itself. */
  readonly resolve: (schema: JsonSchema) => JsonSchema
}

interface Media {
  readonly schema: JsonSchema
  readonly example?: unknown
}

interface RawResponse {
  readonly $ref?: string
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Readonly<Record<string, Media>>
  readonly "x-error-codes"?: ReadonlyArray<string>
}

interface RawOperation {
  readonly parameters?: ReadonlyArray<Parameter | { readonly $ref: string }>
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, RawResponse>>
  readonly "x-required-scope"?: string | null
  readonly "x-needs-idempotency-key"?: boolean
  readonly "x-needs-signature"?: boolean
}

interface RawDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>
}

const at = (root: unknown, pointer: string): unknown =>
  pointer
    .split("/")
    .slice(1)
    .reduce<unknown>(
      (found, part) => (typeof found === "object" && found !== null ? Reflect.get(found, part) : undefined),
      root
    )

const jsonOf = (content: Readonly<Record<string, Media>> | undefined): Media | undefined =>
  content?.["application/json"]

/** A type of content without its parameters. */
export const mediaTypeOf = (type: string): string => (type.split(";")[0] ?? "").trim().toLowerCase()

/** Reads the document of a contract. */
export const readContract = (document: unknown): Contract => {
  // the service's own document: what is not of this form fails where it is used
  const raw = document as RawDocument & Readonly<Record<string, unknown>>
  const follow = <A extends { readonly $ref?: string }>(one: A | { readonly $ref: string }): A =>
    // a reference leads to what stands in its place
    (one.$ref === undefined ? one : at(raw, one.$ref)) as A

  const responseOf = (one: RawResponse): DocumentedResponse => {
    const response = follow<RawResponse>(one)
    return {
      headers: new Set(Object.keys(response.headers ?? {}).map((name) => name.toLowerCase())),
      schema: jsonOf(response.content)?.schema ?? null,
      types: new Set(Object.keys(response.content ?? {}).map(mediaTypeOf)),
      codes: new Set(response["x-error-codes"])
    }
  }

  const operations = Object.entries(raw.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Operation => {
      const body = jsonOf(operation.requestBody?.content)
      return {
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        parameters: (operation.parameters ?? [])
          .map((one) => follow<Parameter & { readonly $ref?: string }>(one))
          .filter((one) => one.in !== "header"),
        body: body?.schema ?? null,
        example: body?.example,
        signed: operation["x-needs-signature"] ?? false,
        keyed: operation["x-needs-idempotency-key"] ?? false,
        scope: operation["x-required-scope"] ?? null,
        endless: Object.values(operation.responses).some(({ content }) => content?.["text/event-stream"] !== undefined),
        responses: new Map(Object.entries(operation.responses).map(([status, one]) => [status, responseOf(one)]))
      }
    })
  )
  return { operations, document: raw, resolve: (schema) => follow<JsonSchema>(schema) }
}

/** A contract without the operations whose answers never end. */
export const endingOperations = (contract: Contract): Contract => ({
  ...contract,
  operations: contract.operations.filter(({ endless }) => !endless)
})
