import { IdempotencyRecord } from "@bursar/core/idempotency/IdempotencyRecord"
import { recordsOf } from "@bursar/memory/Store"
import { Writer } from "@bursar/core/engine/Writer"
import { of } from "@bursar/core/money/Amount"
import type { Rate } from "@bursar/core/money/Rate"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { Custodian } from "@bursar/core/port/Custodian"
import { Prices } from "@bursar/core/port/Prices"
import { ProviderError } from "@bursar/core/port/ProviderError"
import { proposeDestination, verifyDestination } from "@bursar/core/destination/destinationCommands"
import type { State } from "@bursar/memory"
import { makeFakeCustodian } from "@bursar/testkit/fixtures/FakeCustodian"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { type Answer, Partner, portsOver } from "./support/Partner.ts"

/** What is outside: whether it answers, how often it was asked, and how often something was sent to be committed. */
interface Outside {
  up: boolean
  asked: number
  committed?: number
}

const rateOf = (units: bigint, decimals: number): Effect.Effect<Rate | null> =>
  Effect.map(Clock.currentTimeMillis, (observedAt) => ({ price: { units, decimals }, source: "test", observedAt }))

/** A custodian and prices that count what they are asked, and answer nothing while they are down. */
const outsidePorts = (outside: Outside) => (state: State) => {
  const asking = <A, E>(answer: Effect.Effect<A, E>, down: Effect.Effect<A, E>) =>
    Effect.suspend(() => {
      outside.asked += 1
      return outside.up ? answer : down
    })
  const { layer } = makeFakeCustodian(
    () => ({ order: "settled", unreadable: 0, pending: 0, end: "settled" }),
    [{ from: "USDC_BASE", to: "ETH", minimum: null, step: null }]
  )
  const custodian = Layer.effect(
    Custodian,
    Effect.map(Custodian, (real) =>
      Custodian.of({
        ...real,
        pairs: asking(
          real.pairs,
          Effect.fail(new ProviderError({ provider: real.name, doing: "pairs", detail: "down" }))
        )
      })
    )
  ).pipe(Layer.provide(layer))
  const prices = Layer.succeed(
    Prices,
    Prices.of({
      usd: () => asking(rateOf(1n, 0), Effect.succeed(null)),
      rate: () => asking(rateOf(5n, 4), Effect.succeed(null))
    })
  )
  const writer = Layer.effect(
    Writer,
    Effect.map(Writer, ({ submit }) =>
      Writer.of({
        submit: (tenantId, command) =>
          Effect.suspend(() => {
            outside.committed = (outside.committed ?? 0) + 1
            return submit(tenantId, command)
          })
      })
    )
  )
  return Layer.mergeAll(writer.pipe(Layer.provideMerge(portsOver(state))), custodian, prices)
}

const begin = Effect.gen(function* () {
  const { seeder, send } = yield* Partner
  const id = yield* seeder.tenant({ policy: { destinationCoolingHours: 0, withdrawalLimitUsd: "500" } })
  const key = yield* seeder.key(id)
  yield* seeder.submit(id, adjustFloat({ amount: of(1_000_000_000n, "USDC_BASE"), against: "custodian", reason: "t" }))
  const { id: destination } = yield* seeder.submit(
    id,
    proposeDestination({
      currency: "USDC_BASE",
      network: "base",
      address: "0x00000000000000000000000000000000000000aa",
      memo: null,
      label: "Treasury",
      by: "ann"
    })
  )
  yield* seeder.submit(id, verifyDestination(destination, "bob"))
  return (path: string, body: unknown, idempotencyKey = "k") =>
    send("POST", path, { key, body, headers: { "idempotency-key": idempotencyKey } })
})

const seen = ({ headers, status, text }: Answer) => [status, text, headers["idempotency-replayed"]]

const codeOf = ({ body, status }: Answer) => [status, body.error?.code]

const amount = { amount: "10", currency: "USDC_BASE" }

const endpoints = [
  { path: "/v1/swaps", body: { amount, to_currency: "ETH" } },
  { path: "/v1/withdrawals", body: { amount } }
]

describe("what was answered under an idempotency key", () => {
  for (const { body, path } of endpoints) {
    it.live(`is answered again though nobody outside answers, and without asking: POST ${path}`, () => {
      const outside: Outside = { up: true, asked: 0 }
      return Effect.gen(function* () {
        const post = yield* begin
        const first = yield* post(path, body)
        assert.strictEqual(first.status, 201, first.text)
        const { asked } = outside
        assert.isAbove(asked, 0)
        outside.up = false
        assert.deepStrictEqual(seen(yield* post(path, body)), [201, first.text, "true"])
        const other = { ...body, amount: { ...amount, amount: "11" } }
        assert.deepStrictEqual(codeOf(yield* post(path, other)), [422, "idempotency_key_reused"])
        assert.strictEqual(outside.asked, asked)
      }).pipe(Effect.provide(Partner.layer({}, outsidePorts(outside))))
    })

    it.live(`is answered again, and refused to another request, without a commit: POST ${path}`, () => {
      const outside: Outside = { up: true, asked: 0 }
      return Effect.gen(function* () {
        const post = yield* begin
        const first = yield* post(path, body)
        const { committed } = outside
        assert.isAbove(committed ?? 0, 0)
        assert.deepStrictEqual(seen(yield* post(path, body)), [201, first.text, "true"])
        const other = { ...body, amount: { ...amount, amount: "11" } }
        assert.deepStrictEqual(codeOf(yield* post(path, other)), [422, "idempotency_key_reused"])
        assert.strictEqual(outside.committed, committed)
      }).pipe(Effect.provide(Partner.layer({}, outsidePorts(outside))))
    })

    it.live(`is no answer that what is outside was down: POST ${path}`, () => {
      const outside: Outside = { up: false, asked: 0 }
      return Effect.gen(function* () {
        const post = yield* begin
        const refused = yield* post(path, body)
        assert.include([422, 503], refused.status)
        outside.up = true
        const accepted = yield* post(path, body)
        assert.deepStrictEqual([accepted.status, accepted.headers["idempotency-replayed"]], [201, undefined])
      }).pipe(Effect.provide(Partner.layer({}, outsidePorts(outside))))
    })

    it.live(`is no answer that the product is not enabled: POST ${path}`, () =>
      Effect.gen(function* () {
        const { state } = yield* Partner
        const post = yield* begin
        assert.deepStrictEqual(codeOf(yield* post(path, body)), [403, "product_not_enabled"])
        const idempotencyRecords = [...state.tenants.values()].map((one) => recordsOf(one, IdempotencyRecord).size)
        assert.isTrue(idempotencyRecords.every((records) => records === 0))
      }).pipe(Effect.provide(Partner.layer()))
    )
  }
})
