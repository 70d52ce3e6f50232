import { of } from "@bursar/core/money/Amount"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { Prices } from "@bursar/core/port/Prices"
import { FiatProvider } from "@bursar/core/port/FiatProvider"
import { addFeeRule } from "@bursar/core/pricing/feeRuleCommands"
import type { State } from "@bursar/memory"
import { percentRule } from "@bursar/testkit/fixtures/fees"
import { makeFakeFiat } from "@bursar/testkit/fixtures/FakeFiat"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { Partner, portsOver } from "./support/Partner.ts"

const fiat = makeFakeFiat(() => ({ order: "told", unreadable: 0, course: ["PROCESSING"] }))

/** A dollar for everything. */
const prices = Prices.of({
  usd: () =>
    Effect.map(Clock.currentTimeMillis, (observedAt) => ({
      price: { units: 1n, decimals: 0 },
      source: "test",
      observedAt
    })),
  rate: () => Effect.succeed(null)
})

const ports = (state: State) =>
  Layer.mergeAll(portsOver(state), Layer.succeed(FiatProvider, fiat.provider), Layer.succeed(Prices, prices))

/** A tenant with 1,000 EUR; nothing is charged but by the rules of a test. */
const begin = Effect.gen(function* () {
  const { seeder, send } = yield* Partner
  const id = yield* seeder.tenant()
  const key = yield* seeder.key(id)
  yield* seeder.submit(id, adjustFloat({ amount: of(100_000n, "EUR"), against: "bank", reason: "t" }))
  let made = 0
  const post = (path: string, body?: unknown) =>
    send("POST", path, {
      key,
      ...(body === undefined ? {} : { body }),
      headers: { "idempotency-key": `k-${(made += 1)}` }
    })
  const rule = (rail: string | null, percent: bigint, priority: number) =>
    seeder.submit(id, addFeeRule(percentRule(percent, { rail, priority })))
  return { id, post, rule }
})

const transfer = {
  kind: "BANK_TRANSFER",
  amount: { amount: "100", currency: "EUR" },
  beneficiary_name: "Ana",
  beneficiary_account: "PT50000201231234567890154"
}

layer(Partner.layer({}, ports), { excludeTestServices: true })("the rail that is charged", (it) => {
  it.effect("is the one that is used: a transfer that names none goes by SEPA and is charged as SEPA", () =>
    Effect.gen(function* () {
      const { post, rule } = yield* begin
      yield* rule("SEPA", 2n, 1)
      const named = yield* post("/v1/transfers", { ...transfer, rail: "SEPA" })
      const silent = yield* post("/v1/transfers", transfer)
      assert.deepStrictEqual([named.status, silent.status], [201, 201])
      assert.deepStrictEqual([named.body.customer_fee.amount, silent.body.customer_fee.amount], ["2", "2"])
    })
  )

  it.effect("is that of a rule however the operator has written it: partners may write it either way, too", () =>
    Effect.gen(function* () {
      const { post, rule } = yield* begin
      yield* rule("sepa", 2n, 1)
      const upper = yield* post("/v1/transfers", { ...transfer, rail: "SEPA" })
      const lower = yield* post("/v1/transfers", { ...transfer, rail: "sepa" })
      assert.deepStrictEqual([upper.status, lower.status], [201, 201])
      assert.deepStrictEqual([upper.body.customer_fee.amount, lower.body.customer_fee.amount], ["2", "2"])
    })
  )

  it.effect("is none of a rail that moves no euros: an ON_RAMP names no such rail", () =>
    Effect.gen(function* () {
      const { post, rule } = yield* begin
      yield* rule(null, 2n, 2)
      yield* rule("tron", 0n, 1)
      yield* rule("TRON", 0n, 1)
      const odd = yield* post("/v1/transfers", { ...transfer, kind: "ON_RAMP", rail: "tron" })
      assert.deepStrictEqual([odd.status, odd.body.error?.code], [422, "beneficiary_invalid"])
    })
  )
})
