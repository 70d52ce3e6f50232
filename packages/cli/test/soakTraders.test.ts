import type { Entry, Told } from "@bursar/simulation/judge/Told"
import type { Asked, Meant } from "@bursar/simulation/world/Records"
import { payee } from "@bursar/testkit/fixtures/people"
import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { feeOf } from "@bursar/simulation/model/money"
import { written } from "@bursar/simulation/people/meaning"
import { makeOutside, type Outside } from "../soak/outside/Outside.ts"
import { terms } from "../soak/outside/terms.ts"
import { judgeTraders } from "../soak/traders/judgeTraders.ts"
import type { Trader } from "../soak/traders/Trader.ts"
import { localCurrencies } from "./support/localCurrencies.ts"

const trader: Trader = { id: "t", index: 0, apiKey: "k", destination: "0xown", endowed: new Map(), clients: [] }

const iban = "DE89370400440532013000"

const units = 5_000_000n

const nothingMore = { to: null, toCurrency: null, quote: null, customer: null }

const withdrawal: Meant = { ...nothingMore, kind: "WITHDRAWAL", currency: "USDC_ETH", units }
const swap: Meant = { ...nothingMore, kind: "SWAP", currency: "USDC_ETH", units, toCurrency: "USDT_ETH" }
const transfer: Meant = { ...nothingMore, kind: "BANK_TRANSFER", currency: "EUR", units: 500n, to: iban }

const id = "019845e1-682f-7b02-a706-000000000001"

/** What a custodian or a bank is ordered for a request, once each time that it is called. */
const order = ({ bank, exchange }: Outside, meant: Meant, to: string | null = null): Effect.Effect<unknown> => {
  const common = { reference: id, sentAt: Date.now(), amount: { units: meant.units, currency: meant.currency } }
  const [custodian, fiat] = [exchange.reachedBy((_, answer) => answer), bank.reachedBy((_, answer) => answer)]
  switch (meant.kind) {
    case "WITHDRAWAL":
      return custodian.withdraw({ ...common, network: "ethereum", address: to ?? trader.destination, memo: null })
    case "SWAP":
      return custodian.convert({ ...common, to: meant.toCurrency ?? "" })
    default:
      return fiat.send({
        ...common,
        madeAt: common.sentAt,
        kind: "BANK_TRANSFER",
        toCurrency: null,
        providerCustomerId: null,
        payee: { ...payee, iban: to ?? iban },
        rail: null
      })
  }
}

/** Orders something so many times. */
const orderTimes = (outside: Outside, meant: Meant, times: number, to?: string) =>
  Effect.repeat(
    Effect.suspend(() => order(outside, meant, to)),
    { times: times - 1 }
  )

const money = (amount: bigint, currency: string) => ({
  amount: written(amount, localCurrencies.byCode(currency)?.decimals ?? 0),
  currency
})

/** A request that was answered with an operation. */
const acknowledged = (meant: Meant): Asked => ({
  tenant: 0,
  key: "k-1",
  settled: true,
  variants: [
    {
      meant,
      body: "{}",
      answers: [{ status: 201, code: null, id, body: "{}", isAfterTaken: false }],
      sentAt: Date.now(),
      takenAt: Date.now()
    }
  ]
})

/** What the service tells of an operation, whose float is what its word comes to. */
const tell = ({ exchange }: Outside, meant: Meant, status: "FAILED" | "SETTLED"): Told<Trader> => {
  const { currency, kind, units: asked } = meant
  const fee = feeOf(asked, terms.feePercent)
  const received = exchange.carriedOut[0]?.received ?? null
  const entry: Entry = {
    id,
    kind,
    status,
    amount: money(asked, currency),
    customer_fee: money(fee, currency),
    to_amount: received === null ? null : money(received.units, received.currency),
    acts_for: "TENANT",
    customer_id: null,
    created_at: "2026-01-01T00:00:00Z",
    settled_at: null,
    unresolved: false
  }
  const family = { WITHDRAWAL: "withdrawal", SWAP: "swap" }[String(kind)] ?? "payout"
  const none = money(0n, currency)
  const total = money(status === "SETTLED" ? 0n : asked + fee, currency)
  const also = received === null ? [] : [money(received.units, received.currency)]
  return {
    partner: { ...trader, endowed: new Map([[currency, asked + fee]]) },
    register: [entry],
    events: [{ id: 1, kind: `${family}.${status.toLowerCase()}`, resource_id: id }],
    accounts: new Map(),
    float: [total, ...also].map((one) => ({ available: one, held: { ...none, currency: one.currency }, total: one }))
  }
}

/** The time at which a transfer that was sent is over. */
const later = Effect.sync(() => vi.setSystemTime(Date.now() + 600_000))

const judged = Effect.fnUntraced(function* (
  meant: Meant,
  { status, times, to }: { readonly times: number; readonly status: "FAILED" | "SETTLED"; readonly to?: string }
) {
  const outside = yield* makeOutside(7, 1, localCurrencies)
  outside.faults.end()
  if (times > 0) yield* orderTimes(outside, meant, times, to)
  outside.records.asked.push(acknowledged(meant))
  yield* later
  return { outside, told: tell(outside, meant, status) }
})

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }))
afterEach(() => void vi.useRealTimers())

describe("what is said of orders at custodian and bank", () => {
  for (const meant of [withdrawal, swap, transfer]) {
    const found = (...given: Parameters<typeof judged>) =>
      Effect.map(Effect.scoped(judged(...given)), ({ outside, told }) => judgeTraders(outside, [told]))

    it.live(`is right where a ${meant.kind} was carried out once and is settled`, () =>
      Effect.map(found(meant, { times: 1, status: "SETTLED" }), (wrong) => assert.deepStrictEqual(wrong, []))
    )

    it.live(`is right where a ${meant.kind} was never carried out and has failed`, () =>
      Effect.map(found(meant, { times: 0, status: "FAILED" }), (wrong) => assert.deepStrictEqual(wrong, []))
    )

    it.live(`is refused where a ${meant.kind} was carried out twice`, () =>
      Effect.map(found(meant, { times: 2, status: "SETTLED" }), (wrong) =>
        assert.match(wrong.join("\n"), /was carried out 2 times/u)
      )
    )

    it.live(`is refused where a ${meant.kind} is settled that was never carried out`, () =>
      Effect.map(found(meant, { times: 0, status: "SETTLED" }), (wrong) =>
        assert.match(wrong.join("\n"), /is SETTLED, and (?:was carried out 0 times|should be FAILED)/u)
      )
    )

    it.live(`is refused where a ${meant.kind} has failed that was carried out`, () =>
      Effect.map(found(meant, { times: 1, status: "FAILED" }), (wrong) =>
        assert.match(wrong.join("\n"), /is FAILED, and (?:was carried out 1 times|should be SETTLED)/u)
      )
    )

    it.live(`is refused where a ${meant.kind} was acknowledged and is lost`, () =>
      Effect.gen(function* () {
        const { outside, told } = yield* Effect.scoped(judged(meant, { times: 0, status: "FAILED" }))
        const wrong = judgeTraders(outside, [{ ...told, register: [], events: [] }])
        assert.include(wrong.join("\n"), `operation ${id} of k-1 was lost`)
      })
    )

    it.live(`is refused where a ${meant.kind} was carried out that nobody asked for`, () =>
      Effect.gen(function* () {
        const { outside, told } = yield* Effect.scoped(judged(meant, { times: 1, status: "SETTLED" }))
        outside.records.asked.length = 0
        const wrong = judgeTraders(outside, [{ ...told, register: [], events: [] }])
        assert.match(wrong.join("\n"), /was ordered .*, and nobody asked for it/u)
      })
    )
  }

  for (const meant of [withdrawal, transfer]) {
    it.live(`is refused where a ${meant.kind} went to somebody else`, () =>
      Effect.gen(function* () {
        const { outside, told } = yield* Effect.scoped(judged(meant, { times: 1, status: "SETTLED", to: "a thief" }))
        assert.match(judgeTraders(outside, [told]).join("\n"), /to a thief, (?:not to|which is no destination)/u)
      })
    )
  }
})
