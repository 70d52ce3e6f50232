import { makeRandom, type Random } from "@bursar/simulation/kernel/Random"
import { Effect } from "effect"
import type { Contract, Operation } from "../contract/Contract.ts"
import { ask } from "../generate/ask.ts"
import type { Asked, Source } from "../generate/Asked.ts"
import { breakDraft } from "../generate/breakDraft.ts"
import { breakJson } from "../generate/breakJson.ts"
import { breakSignature } from "../generate/breakSignature.ts"
import { allowanceOf, type Draft, headerOf, toBytes, withHeader } from "../generate/Draft.ts"
import { strangeId } from "../generate/values.ts"
import type { Partner } from "../service/people.ts"

/** A call, ready to be sent. */
export interface Call {
  readonly index: number
  readonly operation: Operation
  /** Who calls. */
  readonly partner: Partner
  /** What is broken of it; empty where nothing is. */
  readonly what: string
  /** Whether it asks for a record of another tenant by its path. */
  readonly stranger: boolean
  readonly draft: Draft
  readonly bytes: Uint8Array
  /** The address that it comes from. */
  readonly from: string
  /** The text that no other call has, which what it makes is found by. */
  readonly unique: string
}

/** What calls are made of. */
export interface Setting {
  readonly contract: Contract
  readonly partners: readonly [Partner, Partner]
  readonly url: string
  readonly seed: number
}

/** What is done to a call, and how often in a thousand. */
const plans = [
  ["nothing", 480],
  ["body", 160],
  ["draft", 230],
  ["signature", 60],
  ["key", 30],
  ["stranger", 40]
] as const

const planOf = (random: Random) => {
  let drawn = random.below(1_000)
  for (const [name, weight] of plans) {
    if (drawn < weight) return name
    drawn -= weight
  }
  return "nothing"
}

/** A POST makes something: it is asked for twice as often as what only reads. */
const operationOf = ({ operations }: Contract, random: Random): Operation => {
  const weighed = operations.flatMap((one) => (one.method === "POST" ? [one, one] : [one]))
  const drawn = weighed[random.below(weighed.length)]
  if (drawn === undefined) throw new Error("the contract has no operation")
  return drawn
}

const targetOf = (operation: Operation, { path }: Asked): string =>
  operation.path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => encodeURIComponent(path[name] ?? ""))

const localAddress = (random: Random): string =>
  `127.${1 + random.below(200)}.${random.below(250)}.${1 + random.below(250)}`

/** The path, query and headers of a request that has nothing broken, without its body. */
const draftOf = ({ index, key, operation, seed, url }: DraftOptions, asked: Asked, body: Uint8Array | null): Draft => ({
  method: operation.method,
  path: targetOf(operation, asked),
  query: new URLSearchParams(asked.query.map(([name, value]) => [name, value.toWellFormed()])).toString(),
  headers: [
    ["host", new URL(url).host],
    ["authorization", `Bearer ${key}`],
    ["x-request-id", `fuzz-${index}`],
    ["connection", "close"],
    ...(operation.keyed || operation.signed || operation.method === "POST"
      ? ([["idempotency-key", `fuzz-${seed}-${index}`]] as const)
      : []),
    ...(body === null ? [] : ([["content-type", "application/json"]] as const))
  ],
  body,
  framing: "length",
  version: "HTTP/1.1",
  allows: "documented"
})

interface DraftOptions {
  readonly index: number
  readonly seed: number
  readonly url: string
  readonly key: string
  readonly operation: Operation
}

const sourceOf = (partner: Partner, other: Partner, random: Random, unique: string, stranger: boolean): Source => ({
  random,
  unique,
  wrap: partner.wrap,
  id: (kind) => {
    const own = partner.known.pick(kind, random)
    const foreign = other.known.pick(kind, random)
    const unknown = strangeId(random)
    const strange = random.chance(30)
    return (stranger ? foreign : strange ? unknown : own) ?? unknown
  }
})

const signed = Effect.fnUntraced(function* (draft: Draft, { signer }: Partner) {
  const headers = yield* signer.sign({
    method: draft.method,
    authority: headerOf(draft, "host") ?? "",
    path: draft.path,
    idempotencyKey: headerOf(draft, "idempotency-key") ?? "",
    contentType: headerOf(draft, "content-type") ?? "",
    body: draft.body ?? new Uint8Array()
  })
  return Object.entries(headers).reduce((now, [name, value]) => withHeader(now, name, value), draft)
})

/** The call of a number: the same for the same seed, but for ids, which the service chooses, and signatures, which hold the time. */
export const buildCall = Effect.fnUntraced(function* (
  { contract, partners, seed, url }: Setting,
  index: number
): Effect.fn.Return<Call> {
  const random = makeRandom(seed).for(`call ${index}`)
  const [one, two] = random.chance(700) ? partners : ([partners[1], partners[0]] as const)
  const operation = operationOf(contract, random)
  const plan = planOf(random)
  const unique = `fuzz-${seed}-${index}`
  const asked = ask(contract, operation, sourceOf(one, two, random.for("ids"), unique, plan === "stranger"))
  const broken = plan === "body" && operation.body !== null ? breakJson(asked.body, random.for("body")) : undefined
  const body = broken?.bytes ?? (asked.body === undefined ? null : Buffer.from(JSON.stringify(asked.body)))
  const keyTrick = plan === "key" ? random.below(3) : -1
  const keys = operation.signed ? one.signingKeys : one.keys
  const key = [one.weakKey, one.revokedKey][keyTrick] ?? keys[random.below(keys.length)] ?? ""
  let draft = draftOf({ index, key, operation, seed, url }, asked, body)
  const again = keyTrick === 2 || random.chance(20)
  if (again && headerOf(draft, "idempotency-key") !== undefined) {
    draft = withHeader(draft, "idempotency-key", `fuzz-${seed}-${Math.max(0, index - 1 - random.below(60))}`)
  }
  if (operation.signed || operation.name === "POST /v1/signature/verify" || random.chance(30)) {
    draft = yield* signed(draft, one)
  }
  const change =
    plan === "signature" && operation.signed
      ? breakSignature(draft, random.for("signature"))
      : plan === "draft"
        ? breakDraft(draft, random.for("draft"))
        : {
            what: plan === "body" ? (broken?.what ?? "") : plan === "nothing" || plan === "signature" ? "" : plan,
            draft
          }
  const isForeign = Object.values(asked.path).some((id) => two.known.has(id) && !one.known.has(id))
  return {
    index,
    operation,
    partner: one,
    what: change.what,
    stranger: isForeign,
    draft: { ...change.draft, allows: allowanceOf(change.draft) },
    bytes: toBytes(change.draft),
    from: localAddress(random),
    unique
  }
})
