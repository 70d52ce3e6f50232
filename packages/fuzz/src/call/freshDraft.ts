import type { Random } from "@bursar/simulation/kernel/Random"
import type { Contract, Operation } from "../contract/Contract.ts"
import type { Asked } from "../generate/Asked.ts"
import { breakJson } from "../generate/breakJson.ts"
import type { Draft } from "../generate/Draft.ts"

/** Which request is drafted, and what it carries beside what it asks for. */
export interface Drafting {
  readonly index: number
  readonly url: string
  readonly operation: Operation
  /** The headers that say who calls, and under which key of idempotency. */
  readonly headers: Draft["headers"]
}

/** A POST makes something: it is asked for twice as often as what only reads. */
export const drawOperation = ({ operations }: Contract, random: Random): Operation => {
  const weighed = operations.flatMap((one) => (one.method === "POST" ? [one, one] : [one]))
  const drawn = weighed[random.below(weighed.length)]
  if (drawn === undefined) throw new Error("the contract has no operation")
  return drawn
}

/** One of some names, each drawn as often as its weight of a thousand says; the first where the weights do not add up. */
export const drawPlan = <Name extends string>(
  plans: readonly [readonly [Name, number], ...ReadonlyArray<readonly [Name, number]>],
  random: Random
): Name => {
  let drawn = random.below(1_000)
  for (const [name, weight] of plans) {
    if (drawn < weight) return name
    drawn -= weight
  }
  return plans[0][0]
}

/** One of many loopback addresses, since one that fails to sign in may do so only so often. */
export const localAddress = (random: Random): string =>
  `127.${1 + random.below(200)}.${random.below(250)}.${1 + random.below(250)}`

/** The bytes of what is asked in a body, whole or broken, and what is broken of them. */
export const bodyOf = (
  { body }: Asked,
  broken: boolean,
  random: Random
): { readonly what: string; readonly bytes: Uint8Array | null } => {
  if (broken) return breakJson(body, random)
  return { what: "", bytes: body === undefined ? null : Buffer.from(JSON.stringify(body)) }
}

const targetOf = (operation: Operation, { path }: Asked): string =>
  operation.path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => encodeURIComponent((path[name] ?? "").toWellFormed()))

/** A request that has nothing broken but, maybe, its body. */
export const freshDraft = (
  { headers, index, operation, url }: Drafting,
  asked: Asked,
  body: Uint8Array | null
): Draft => ({
  method: operation.method,
  path: targetOf(operation, asked),
  query: new URLSearchParams(asked.query.map(([name, value]) => [name, value.toWellFormed()])).toString(),
  headers: [
    ["host", new URL(url).host],
    ["x-request-id", `fuzz-${index}`],
    ["connection", "close"],
    ...headers,
    ...(body === null ? [] : ([["content-type", "application/json"]] as const))
  ],
  body,
  framing: "length",
  version: "HTTP/1.1",
  allows: "documented"
})
