import { PartnerApi } from "@bursar/api/PartnerApi"
import { operationsOf } from "@bursar/api/openapi/Operation"
import { partnerCodes } from "@bursar/api/openapi/operationCodes"
import { Effect, Exit, Option, Schema } from "effect"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"

/** What is sent is told by the contract alone: nothing that breaks a schema, and nothing beside it. */
const strictly = { onExcessProperty: "error" } as const

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`)

const groups = Object.values(PartnerApi.groups) as unknown as ReadonlyArray<HttpApiGroup.Top>

/** The codes that the contract lists of each operation, by its method and path. */
const listed: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  operationsOf(PartnerApi).map((operation) => [operation.name, partnerCodes(operation)])
)

const decodeRefusal = Schema.decodeUnknownOption(Schema.Struct({ error: Schema.Struct({ code: Schema.String }) }))

/** The code of a refusal, as the body of an answer says it. */
const codeOf = (body: unknown): string | undefined => Option.getOrUndefined(decodeRefusal(body))?.error.code

const endpoints = groups.flatMap((group) =>
  Object.values<HttpApiEndpoint.Top>(group.endpoints).map(({ method, path, success }) => {
    const template = path
      .split("/")
      .map((part) => (part.startsWith(":") ? "[^/]+" : escape(part)))
      .join("/")
    const [schema = Schema.Never] = success
    return {
      method,
      codes: listed.get(`${method} ${path.replace(/:(\w+)/gu, "{$1}")}`) ?? new Set(),
      path: new RegExp(`^${template}$`, "u"),
      isPlain: !path.includes(":"),
      decode: Schema.decodeUnknownExit(schema as unknown as Schema.ConstraintDecoder<unknown>, strictly)
    }
  })
)

const die = (method: string, path: string, how: string) =>
  Effect.die(new Error(`${method} ${path} was answered otherwise than the contract says: ${how}`))

/**
 * Dies of an answer of success that is not, to the field, what the contract says of its endpoint, and of a refusal with a code that the
 * contract does not list there.
 */
export const byContract = <A extends { readonly status: number; readonly body: unknown }>(
  method: string,
  url: string,
  answer: A
): Effect.Effect<A> => {
  const path = url.split("?", 1)[0] ?? ""
  const fitting = endpoints.filter((one) => one.method === method && one.path.test(path))
  const endpoint = fitting.find(({ isPlain }) => isPlain) ?? fitting[0]
  if (endpoint === undefined) return Effect.succeed(answer)
  if (answer.status >= 300) {
    const code = codeOf(answer.body)
    return code === undefined || endpoint.codes.has(code)
      ? Effect.succeed(answer)
      : die(method, path, `${code} is not listed`)
  }
  const decoded = endpoint.decode(answer.body)
  return Exit.isSuccess(decoded) ? Effect.succeed(answer) : die(method, path, String(decoded.cause))
}
