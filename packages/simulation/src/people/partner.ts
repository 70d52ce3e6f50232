import { Clock, Effect, Schema } from "effect"
import { authority } from "../fleet/settings.ts"
import type { Fleet } from "../fleet/Fleet.ts"
import type { Call, Reply } from "../fleet/server.ts"
import type { Random } from "../kernel/Random.ts"
import type { Answered, Asked, Meant, Variant } from "../world/Records.ts"
import { type PartnerOfWorld, strangerAt } from "./letIn.ts"
import type { World } from "../world/World.ts"

const patienceMs = 20_000

/** An amount as partners write it. */
export const written = (units: bigint, decimals: number): string => {
  const digits = units.toString().padStart(decimals + 1, "0")
  const [whole, rest] = [digits.slice(0, digits.length - decimals), digits.slice(digits.length - decimals)]
  const shown = rest.replace(/0+$/u, "")
  return shown === "" ? whole : `${whole}.${shown}`
}

const AnswerBody = Schema.fromJsonString(
  Schema.Struct({
    id: Schema.optionalKey(Schema.String),
    error: Schema.optionalKey(Schema.Struct({ code: Schema.String })),
    addresses: Schema.optionalKey(Schema.Array(Schema.Struct({ address: Schema.String })))
  })
)

const readBody = (text: string): typeof AnswerBody.Type => {
  const read = Schema.decodeUnknownOption(AnswerBody)(text)
  return read._tag === "Some" ? read.value : {}
}

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

/** A partner at its work. */
export const makePartner = (world: World, fleet: Fleet, partner: PartnerOfWorld) => {
  const { chain, config, currencies, faults, note, records } = world
  const { apiKey, index, signer } = partner
  const random: Random = world.random.for(`work of partner ${index}`)
  let asked = 0

  /** Sends something to one of the servers, if there is any, and waits for so long. */
  const send = (call: Call): Effect.Effect<Reply> =>
    Effect.suspend(() => {
      const [first, ...others] = fleet.servers()
      if (first === undefined) return Effect.succeed<Reply>("broken")
      const hangsUp = faults.strikes("partner.hangs_up", call.path)
      return Effect.timeoutOrElse(random.pick([first, ...others]).call(call), {
        duration: hangsUp ? random.below(200) : patienceMs,
        orElse: () => Effect.succeed<Reply>("broken")
      })
    })

  const get = (path: string): Effect.Effect<Reply> =>
    send({ method: "GET", path, headers: { authorization: `Bearer ${apiKey}` }, body: null })

  const post = Effect.fnUntraced(function* (path: string, key: string, body: string) {
    const signature = yield* signer.sign({
      method: "POST",
      authority,
      path,
      idempotencyKey: key,
      contentType: "application/json",
      body: new TextEncoder().encode(body)
    })
    const headers = {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      "idempotency-key": key,
      ...signature
    }
    return yield* send({ method: "POST", path, headers, body })
  })

  const attempt = Effect.fnUntraced(function* ({ key, path, tenant }: Asked, variant: Variant) {
    const reply = yield* post(path, key, variant.body)
    if (reply === "broken") return undefined
    const { error, id } = readBody(reply.body)
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

  const amountOf = (currency: string, units: bigint) => ({
    amount: written(units, currencies.byCode(currency)?.decimals ?? 0),
    currency
  })

  const receivers = [strangerAt(random), strangerAt(random), strangerAt(random)] as const

  const mean = (): Meant => {
    const { payout, swap, withdrawal } = config.weights
    const drawn = random.below(payout + swap + withdrawal)
    const dollars =
      BigInt(1 + random.below(random.chance(200) ? 500 : 120)) * 1_000_000n + BigInt(random.below(1_000_000))
    if (drawn < payout) {
      const to = random.chance(500) ? random.pick(receivers) : strangerAt(random)
      return random.chance(250)
        ? { kind: "CHAIN_PAYOUT", currency: "ETH", units: dollars * 1_000_000_000n, to, toCurrency: null }
        : { kind: "CHAIN_PAYOUT", currency: "USDT_ETH", units: dollars, to, toCurrency: null }
    }
    const currency = random.pick(["USDT_ETH", "USDC_ETH"])
    return drawn < payout + withdrawal
      ? { kind: "WITHDRAWAL", currency, units: dollars, to: null, toCurrency: null }
      : {
          kind: "SWAP",
          currency,
          units: dollars,
          to: null,
          toCurrency: currency === "USDT_ETH" ? "USDC_ETH" : "USDT_ETH"
        }
  }

  const paths = { CHAIN_PAYOUT: "/v1/chain-payouts", WITHDRAWAL: "/v1/withdrawals", SWAP: "/v1/swaps" } as const

  const bodyOf = (meant: Meant, key: string): string => {
    const amount = amountOf(meant.currency, meant.units)
    switch (meant.kind) {
      case "CHAIN_PAYOUT":
        return JSON.stringify({
          amount,
          network: config.network,
          destination: { address: meant.to },
          reference: key
        })
      case "WITHDRAWAL":
        return JSON.stringify({ amount, partner_reference: key })
      case "SWAP":
        return JSON.stringify({ amount, to_currency: meant.toCurrency, partner_reference: key })
    }
  }

  const variantOf = (meant: Meant, key: string): Variant => ({ meant, body: bodyOf(meant, key), answers: [] })

  const ask = Effect.fnUntraced(function* () {
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

  /** Has addresses issued until it gets them. */
  const openAddresses = Effect.gen(function* () {
    const body = JSON.stringify({ network: config.network, reference: "customers", count: 3 })
    while (partner.addresses.length === 0) {
      const reply = yield* post("/v1/deposit-addresses/issue", `addresses-${index}`, body)
      const { addresses = [] } = reply === "broken" ? {} : readBody(reply.body)
      partner.addresses.push(...addresses.map(({ address }) => address))
      if (addresses.length === 0) yield* Effect.sleep(2_000)
    }
    note(`partner ${index} has ${partner.addresses.length} addresses`)
  })

  /** Somebody pays to an address of the partner's customers. */
  const deposit = Effect.sync(() => {
    const [first, ...others] = partner.addresses
    if (first === undefined) return
    const to = random.pick([first, ...others])
    const dollars = BigInt(20 + random.below(500)) * 1_000_000n
    const coin = random.chance(300)
    const contract = coin ? null : (currencies.byCode("USDT_ETH")?.asset?.contract ?? null)
    const units = coin ? dollars * 10_000_000_000n : dollars
    const hash = `0x${Buffer.from(random.bytes(32)).toString("hex")}`
    chain.take({ hash, from: strangerAt(random), sequence: null, payments: [{ to, contract, units }], bid: 0n })
    note(`somebody pays ${units} to an address of partner ${index}`)
  })

  const work = Effect.gen(function* () {
    yield* openAddresses
    const until = (yield* Clock.currentTimeMillis) + config.activeMs
    while ((yield* Clock.currentTimeMillis) < until) {
      const { deposit: more, payout, swap, withdrawal } = config.weights
      if (random.below(more + payout + swap + withdrawal) < more) yield* deposit
      else yield* Effect.forkChild(ask())
      yield* Effect.sleep(1 + random.below(2 * config.askEveryMs))
    }
    // what was begun is brought to its end
    yield* Effect.never
  })

  return { partner, work, get }
}

/** A partner at its work. */
export type WorkingPartner = ReturnType<typeof makePartner>
