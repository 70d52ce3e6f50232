import { PartnerApi } from "@bursar/api/PartnerApi"
import { Effect, Exit, Schema } from "effect"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"

/** What is sent is told by the contract alone: nothing that breaks a schema, and nothing beside it. */
const strictly = { onExcessProperty: "error" } as const

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`)

const groups = Object.values(PartnerApi.groups) as unknown as ReadonlyArray<HttpApiGroup.Top>

const endpoints = groups.flatMap((group) =>
  Object.values<HttpApiEndpoint.Top>(group.endpoints).map(({ method, path, success }) => {
    const template = path
      .split("/")
      .map((part) => (part.startsWith(":") ? "[^/]+" : escape(part)))
      .join("/")
    const [schema = Schema.Never] = success
    return {
      method,
      path: new RegExp(`^${template}$`, "u"),
      isPlain: !path.includes(":"),
      decode: Schema.decodeUnknownExit(schema as unknown as Schema.ConstraintDecoder<unknown>, strictly)
    }
  })
)

/** Dies of an answer of success that is not, to the field, what the contract says of its endpoint. */
export const byContract = <A extends { readonly status: number; readonly body: unknown }>(
  method: string,
  url: string,
  answer: A
): Effect.Effect<A> => {
  const path = url.split("?", 1)[0] ?? ""
  const fitting = endpoints.filter((one) => one.method === method && one.path.test(path))
  const endpoint = fitting.find(({ isPlain }) => isPlain) ?? fitting[0]
  if (endpoint === undefined || answer.status >= 300) return Effect.succeed(answer)
  const decoded = endpoint.decode(answer.body)
  return Exit.isSuccess(decoded)
    ? Effect.succeed(answer)
    : Effect.die(new Error(`${method} ${path} was answered otherwise than the contract says: ${String(decoded.cause)}`))
}
