import { operatorOpenApiDocument } from "@bursar/api/openapi/openApiDocument"
import { Effect } from "effect"
import { buildOperatorCall } from "../call/buildOperatorCall.ts"
import { endingOperations, readContract } from "../contract/Contract.ts"
import { makeKnown } from "../generate/Known.ts"
import { insist } from "../service/ask.ts"
import type { Service } from "../service/service.ts"
import type { Stage } from "./fuzz.ts"
import { runCalls } from "./runCalls.ts"
import { type Fuzzed, type FuzzOptions, watch } from "./watch.ts"

/** The text of what several people have agreed on, for all and for each of some tenants. */
const readGrants = Effect.fnUntraced(function* ({ handshake }: Service, chains: ReadonlyArray<string>) {
  return yield* Effect.forEach(chains, (chain) =>
    Effect.map(
      insist("GET", `${handshake.operator_url}/operator/v1/grants/chains/${chain}/entries`, {
        token: handshake.operator_token
      }),
      ({ body }) => JSON.stringify(body.entries)
    )
  )
})

/** What the service says of a record that it keeps in a chain. */
const verify = Effect.fnUntraced(function* ({ handshake }: Service, what: string) {
  const { body } = yield* insist("GET", `${handshake.operator_url}/operator/v1/${what}/verify`, {
    token: handshake.operator_token
  })
  return body.ok === true ? [] : [`${what} is not intact: ${JSON.stringify(body)}`]
})

/**
 * Makes calls of operators, and has judges look at each answer. Nobody approves a grant among them, so none may come of it; in the end
 * the records of what operators did and agreed on are verified, and the books are checked. These calls revoke keys and suspend tenants:
 * partners have called before.
 */
export const fuzzOperators = Effect.fn("fuzz.operators")(function* (
  { service, tenants: [one, two] }: Stage,
  options: FuzzOptions
) {
  const { operator_token: token, operator_url: url } = service.handshake
  const contract = endingOperations(readContract(operatorOpenApiDocument()))
  const tenants = [one.caller.partner, two.caller.partner] as const
  const chains = ["fleet", ...tenants.map(({ id }) => id)]
  const agreed = yield* readGrants(service, chains)
  const { judged, onCall } = yield* watch(service, "operators", options)
  const setting = { contract, tenants, house: makeKnown(), token, url, seed: options.seed }
  const build = (index: number) => Effect.sync(() => buildOperatorCall(setting, index))
  const outcome = yield* runCalls({ contract, url, build }, { ...options, onCall })
  const agreedNow = yield* readGrants(service, chains)
  const fuzzed: Fuzzed = {
    outcome,
    wrong: [
      ...chains.flatMap((chain, index) =>
        agreed[index] === agreedNow[index]
          ? []
          : [`the grants of ${chain} have changed, and nobody has approved anything`]
      ),
      ...(yield* verify(service, "audit")),
      ...(yield* verify(service, "grants")),
      ...(yield* judged(outcome))
    ]
  }
  return fuzzed
})
