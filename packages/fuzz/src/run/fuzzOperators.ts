import { operatorOpenApiDocument } from "@bursar/api/openapi/openApiDocument"
import { Effect, Semaphore } from "effect"
import { buildOperatorCall } from "../call/buildOperatorCall.ts"
import { endingOperations, readContract } from "../contract/Contract.ts"
import { makeKnown } from "../generate/Known.ts"
import type { Call } from "../call/Call.ts"
import { insist } from "../service/ask.ts"
import { grantWanted, type WantedGrant } from "../service/operate.ts"
import type { Service } from "../service/service.ts"
import type { Answer, Silence } from "../wire/sendBytes.ts"
import type { Stage } from "./fuzz.ts"
import { runCalls } from "./runCalls.ts"
import { type Fuzzed, type FuzzOptions, watch } from "./watch.ts"

/** How often several people have agreed on something, for all tenants or for one. */
const countGrants = Effect.fnUntraced(function* ({ handshake }: Service, chains: ReadonlyArray<string>) {
  return yield* Effect.forEach(chains, (chain) =>
    Effect.gen(function* () {
      const token = handshake.operator_token
      const at = `${handshake.operator_url}/operator/v1/grants/chains/${chain}/entries`
      let count = 0
      while (true) {
        const { body } = yield* insist("GET", `${at}?after=${count}`, { token })
        if (body.entries.length === 0) return count
        count += body.entries.length
      }
    })
  )
})

/** What the service says of a record that it keeps in a chain. */
const verify = Effect.fnUntraced(function* ({ handshake }: Service, what: string) {
  const { body } = yield* insist("GET", `${handshake.operator_url}/operator/v1/${what}/verify`, {
    token: handshake.operator_token
  })
  return body.ok === true ? [] : [`${what} is not intact: ${JSON.stringify(body)}`]
})

/** Which refusals for want of a grant are followed by the grant: one of so many. */
const grantedOf = 2

/** What a call that was refused for want of a grant (`grant_required`) has to be granted; undefined where it was not. */
const wantedBy = (answer: Answer | Silence): WantedGrant | undefined => {
  if (answer._tag === "Silence" || answer.status !== 409) return undefined
  const { error } = JSON.parse(answer.body)
  return error.code === "grant_required" ? error.detail : undefined
}

/**
 * Has everybody agree on half of what calls are refused for want of a grant, one after the other. What was proposed in vain is no
 * matter: other calls reject proposals, and what they ask for need not be acceptable.
 */
const makeGranting = (service: Service, chains: ReadonlyArray<string>) => {
  const turn = Semaphore.makeUnsafe(1)
  const granted = new Map<string, number>()
  const follow = ({ index }: Call, answer: Answer | Silence) => {
    const wanted = index % grantedOf === 0 ? wantedBy(answer) : undefined
    if (wanted === undefined || !chains.includes(wanted.chain)) return Effect.void
    const count = () => void granted.set(wanted.chain, (granted.get(wanted.chain) ?? 0) + 1)
    return turn.withPermit(Effect.ignore(Effect.map(grantWanted(service, wanted), count)))
  }
  return { follow, granted }
}

/**
 * Makes calls of operators, and has judges look at each answer. Everybody agrees on half of what takes a grant, and no other grant may come
 * of it; in the end the records of what operators did and agreed on are verified, and the books are checked. These calls revoke keys and
 * suspend tenants: partners have called before.
 */
export const fuzzOperators = Effect.fn("fuzz.operators")(function* (
  { service, tenants: [one, two] }: Stage,
  options: FuzzOptions
) {
  const { print } = options
  const { operator_token: token, operator_url: url } = service.handshake
  const contract = endingOperations(readContract(operatorOpenApiDocument()))
  const tenants = [one.caller.partner, two.caller.partner] as const
  const chains = ["fleet", ...tenants.map(({ id }) => id)]
  const agreed = yield* countGrants(service, chains)
  const { judged, onCall } = yield* watch(service, "operators", options)
  const setting = { contract, tenants, house: makeKnown(), token, url, seed: options.seed }
  const build = (index: number) => Effect.sync(() => buildOperatorCall(setting, index))
  const { follow, granted } = makeGranting(service, chains)
  const outcome = yield* runCalls(
    { contract, url, build },
    {
      ...options,
      onCall: (call, answer, finding) => Effect.andThen(onCall(call, answer, finding), follow(call, answer))
    }
  )
  print(`${[...granted.values()].reduce((sum, times) => sum + times, 0)} grants were approved`)
  const agreedNow = yield* countGrants(service, chains)
  const fuzzed: Fuzzed = {
    outcome,
    wrong: [
      ...chains.flatMap((chain, index) =>
        (agreed[index] ?? 0) + (granted.get(chain) ?? 0) === agreedNow[index]
          ? []
          : [
              `${chain} has ${agreedNow[index]} grants, where it had ${agreed[index]} and ${granted.get(chain) ?? 0} were approved`
            ]
      ),
      ...(yield* verify(service, "audit")),
      ...(yield* verify(service, "grants")),
      ...(yield* judged(outcome))
    ]
  }
  return fuzzed
})
