import { Effect } from "effect"
import type { Random } from "../kernel/Random.ts"
import type { Answered, Asked, Meant, Variant } from "../world/Records.ts"
import type { World } from "../world/World.ts"
import { readAnswer } from "./answer.ts"
import type { Connection } from "./connection.ts"
import { bodyOf, makeMeaning, paths } from "./meaning.ts"

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

/** What somebody works with who asks for things. */
export interface AtWork {
  readonly world: World
  readonly index: number
  readonly random: Random
  readonly post: Connection["post"]
}

/** Asks for one thing after the other, and sends each until it is known what became of it. */
export const makeAsking = ({ index, post, random, world }: AtWork) => {
  const { config, currencies, faults, note, records } = world
  const mean = makeMeaning(random, config.weights)
  let asked = 0

  const attempt = Effect.fnUntraced(function* ({ key, path, tenant }: Asked, variant: Variant) {
    const reply = yield* post(path, key, variant.body)
    if (reply === "broken") return undefined
    const { error, id } = readAnswer(reply.body)
    const answer: Answered = { status: reply.status, code: error?.code ?? null, id: id ?? null, body: reply.body }
    variant.answers.push(answer)
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
    answers: []
  })

  return Effect.fnUntraced(function* () {
    asked += 1
    const key = `p${index}-${asked}`
    const meant = mean()
    const first = variantOf(meant, key)
    const request: Asked = { tenant: index, key, path: paths[meant.kind], variants: [first], settled: false }
    records.asked.push(request)
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
