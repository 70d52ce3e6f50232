import { makeRandom, type Random } from "@bursar/simulation/kernel/Random"
import { Effect } from "effect"
import type { Contract } from "../contract/Contract.ts"
import { ask } from "../generate/ask.ts"
import type { Source } from "../generate/Asked.ts"
import { breakDraft } from "../generate/breakDraft.ts"
import { breakSignature } from "../generate/breakSignature.ts"
import { allowanceOf, type Draft, headerOf, toBytes, withHeader } from "../generate/Draft.ts"
import { strangeId } from "../generate/values.ts"
import type { Partner } from "../service/people.ts"
import type { Call } from "./Call.ts"
import { bodyOf, drawPlan, drawOperation, freshDraft, localAddress } from "./freshDraft.ts"

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
  const operation = drawOperation(contract, random)
  const plan = drawPlan(plans, random)
  const unique = `fuzz-${seed}-${index}`
  const asked = ask(contract, operation, sourceOf(one, two, random.for("ids"), unique, plan === "stranger"))
  const body = bodyOf(asked, plan === "body" && operation.body !== null, random.for("body"))
  const keyTrick = plan === "key" ? random.below(3) : -1
  const keys = operation.signed ? one.signingKeys : one.keys
  const key = [one.weakKey, one.revokedKey][keyTrick] ?? keys[random.below(keys.length)] ?? ""
  const isKeyed = operation.keyed || operation.signed || operation.method === "POST"
  const headers = [
    ["authorization", `Bearer ${key}`],
    ...(isKeyed ? ([["idempotency-key", unique]] as const) : [])
  ] as const
  let draft = freshDraft({ headers, index, operation, url }, asked, body.bytes)
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
            what: plan === "body" ? body.what : plan === "nothing" || plan === "signature" ? "" : plan,
            draft
          }
  const isForeign = Object.values(asked.path).some((id) => two.known.has(id) && !one.known.has(id))
  return {
    index,
    operation,
    caller: one.slug,
    known: one.known,
    what: change.what,
    stranger: isForeign,
    draft: { ...change.draft, allows: allowanceOf(change.draft) },
    bytes: toBytes(change.draft),
    from: localAddress(random),
    unique
  }
})
