import { Effect } from "effect"
import { type Answered, type Asked, type AskedKind, idOf, type Meant, type Variant } from "../world/Records.ts"
import { readAnswer } from "./answer.ts"
import type { AtWork } from "./AtWork.ts"
import { type Asker, bodyOf, makeMeaning, pathOf } from "./meaning.ts"
import { makeQuoting } from "./quoting.ts"

/** What is refused for now alone: nothing is kept under the key, and the same request may be sent again. */
const forNow: ReadonlySet<string | null> = new Set([
  "idempotency_in_flight",
  "payouts_disabled",
  "price_unavailable",
  "pair_unavailable",
  "product_not_enabled",
  "provider_unavailable"
])

/** Whether an answer says for good what became of a request. */
const isFinal = ({ code, status }: Answered): boolean =>
  status < 500 && status !== 429 && status !== 401 && status !== 403 && !forNow.has(code)

/** Asks for one thing after the other, and sends each until it is known what became of it. `watched`: addresses of the service that it may pay. */
export const makeAsking = (partner: Asker, atWork: AtWork, watched: () => ReadonlyArray<string> = () => []) => {
  const { post, random, world } = atWork
  const { assets, config, currencies, faults, kernel, network, note, records } = world
  const { index } = partner
  const onRamps = () =>
    records.asked
      .filter(({ tenant, variants: [first] }) => tenant === index && first?.meant.kind === "ON_RAMP")
      .flatMap((asked) => {
        const [id, first] = [idOf(asked), asked.variants[0]]
        return id === undefined || first === undefined ? [] : [{ id, units: first.meant.units }]
      })
  const mean = makeMeaning(random, { assets, network, partner, onRamps, watched })
  const quote = makeQuoting(atWork)
  let asked = 0

  const attempt = Effect.fnUntraced(function* ({ key, tenant }: Asked, variant: Variant) {
    variant.sentAt ??= kernel.now()
    const isAfterTaken = variant.takenAt !== null
    const reply = yield* post(pathOf(variant.meant.kind), key, variant.body)
    if (reply === "broken") return undefined
    const { error, id } = readAnswer(reply.body)
    const { body, status } = reply
    const answer: Answered = { status, code: error?.code ?? null, id: id ?? null, body, isAfterTaken }
    variant.answers.push(answer)
    if (answer.status < 300) variant.takenAt ??= kernel.now()
    note(`partner ${tenant} ${key} is answered ${answer.status} ${answer.code ?? answer.id ?? ""}`)
    return answer
  })

  /** Sends a body until it is known what became of it, with all that partners do wrong on the way. */
  const insist = Effect.fnUntraced(function* (request: Asked, variant: Variant) {
    for (;;) {
      const answers = faults.strikes("partner.races")
        ? yield* Effect.all([attempt(request, variant), attempt(request, variant)], { concurrency: 2 })
        : [yield* attempt(request, variant)]
      if (answers.some((answer) => answer !== undefined && isFinal(answer))) return
      yield* Effect.sleep(1_000 + random.below(6_000))
    }
  })

  const variantOf = (meant: Meant, key: string): Variant => ({
    meant,
    body: bodyOf(meant, key, { currencies, network: config.network }),
    answers: [],
    sentAt: null,
    takenAt: null
  })

  /** A price for what is wanted, where the partner asks for one; it may be old by the time that it is used, or have been used before. */
  const priced = Effect.fnUntraced(function* (wish: Meant): Effect.fn.Return<Meant> {
    const used = records.asked.findLast(
      ({ tenant, variants: [first] }) => tenant === index && first?.meant.quote?.product === wish.kind
    )?.variants[0]?.meant
    if (used !== undefined && faults.strikes("partner.uses_quote_again")) return used
    const quoted = yield* quote(wish)
    if (quoted !== null) yield* Effect.sleep(random.below(random.chance(300) ? 90_000 : 15_000))
    return { ...wish, quote: quoted }
  })

  return Effect.fnUntraced(function* (kind: AskedKind) {
    asked += 1
    const key = `p${index}-${asked}`
    const request: Asked = { tenant: index, key, variants: [], settled: false }
    records.asked.push(request)
    const meant = yield* priced(mean(kind))
    const first = variantOf(meant, key)
    request.variants.push(first)
    note(`partner ${index} asks ${key} ${meant.kind} ${meant.units} ${meant.currency}`)
    if (faults.strikes("partner.changes_body")) {
      const other = variantOf({ ...meant, units: meant.units + 1_000_000n }, key)
      request.variants.push(other)
      yield* Effect.all([insist(request, first), Effect.delay(insist(request, other), random.below(3_000))], {
        concurrency: 2
      })
    } else {
      yield* insist(request, first)
    }
    request.settled = true
    if (faults.strikes("partner.repeats")) yield* Effect.delay(attempt(request, first), random.below(20_000))
  })
}
