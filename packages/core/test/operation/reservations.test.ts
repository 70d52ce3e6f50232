import { beginCustody } from "@bursar/core/custody/beginCustody"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies as currencies } from "@bursar/core/money/defaultCurrencies"
import { assetPlaceOf, isWithProvider } from "@bursar/core/operation/assetPlace"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { Operation } from "@bursar/core/operation/Operation"
import { type ProviderResult, done, refused, unknown } from "@bursar/core/port/ProviderResult"
import type { ConversionState, WithdrawalState } from "@bursar/core/port/Custodian"
import type { TransferState } from "@bursar/core/port/FiatProvider"
import { Queries } from "@bursar/core/store/Queries"
import { cancelOperation } from "@bursar/core/resolution/cancelOperation"
import { createSwap } from "@bursar/core/swap/createSwap"
import { recordSwap } from "@bursar/core/swap/recordSwap"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { beginTransfer } from "@bursar/core/transfer/beginTransfer"
import { createTransfer } from "@bursar/core/transfer/createTransfer"
import { recordTransfer } from "@bursar/core/transfer/recordTransfer"
import { createWithdrawal } from "@bursar/core/withdrawal/createWithdrawal"
import { recordWithdrawal } from "@bursar/core/withdrawal/recordWithdrawal"
import { seeded } from "@bursar/testkit/fixtures/seeded"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Result } from "effect"
import { about, accept, hear, payer, says, sender, submit, baseRequest, wrong } from "../transfer/world.ts"
import { dollar, keyed, store, verified } from "../withdrawal/world.ts"
import { AssetReservation } from "@bursar/core/operation/AssetReservation"
import { putRecord } from "@bursar/core/engine/Records"
import { payerAsStored } from "@bursar/testkit/fixtures/FakeFiat"

const mine = "0x52908400098527886E0F7030069857D2E4169EE7"

/** What a custodian tells, whichever it was asked of. */
type CustodyState = ConversionState & WithdrawalState

/** What is reserved, and what it should be: what the operations that are with a provider take. */
const reserved = Effect.fnUntraced(function* (tenant: TenantId, ids: ReadonlyArray<string>) {
  const queries = yield* Queries
  const records = yield* queries.records(tenant, AssetReservation)
  const operations = yield* Effect.forEach(ids, (id) => queries.operation(tenant, id))
  const expected = new Map<string, bigint>()
  for (const operation of operations) {
    const place = operation && assetPlaceOf(operation)
    if (operation === undefined || place === undefined || !isWithProvider(operation)) continue
    const key = `${place}|${operation.amount.currency}`
    expected.set(key, (expected.get(key) ?? 0n) + operation.amount.units)
  }
  const byKey = (one: readonly [string, bigint], other: readonly [string, bigint]) => (one[0] < other[0] ? -1 : 1)
  return [
    records
      .filter(({ units }) => units !== 0n)
      .map(({ account, currency, units }) => [`${account}|${currency}`, units] as const)
      .toSorted(byKey),
    [...expected].toSorted(byKey)
  ]
})

/** Reports what is a bug, and takes a refusal for an answer. */
const survives = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.exit(effect), (exit) => {
    if (Exit.isSuccess(exit)) return exit.value
    if (Cause.hasDies(exit.cause)) assert.fail(`${what}: ${Cause.pretty(exit.cause)}`)
    return undefined
  })

const story = Effect.fnUntraced(function* (seed: number, steps: number) {
  const below = seeded(seed)
  const pick = <A>(all: ReadonlyArray<A>): A => all[below(all.length)] as A // there is one
  const tenant = yield* payer({ destinationCoolingHours: 0, withdrawalLimitUsd: "1000000000.00" })
  yield* submit(
    tenant,
    adjustFloat({ amount: of(1_000_000_000n, "USDC_BASE"), against: "custodian", reason: "funded" })
  )
  yield* verified(tenant, mine)
  const ids: Array<string> = []
  const queries = yield* Queries
  const make = Effect.gen(function* () {
    const amount = of(BigInt(1 + below(30_000)), "EUR")
    const usdc = of(BigInt(1_000_000 * (1 + below(400))), "USDC_BASE")
    const kind = pick(["BANK_TRANSFER", "OFF_RAMP", "ON_RAMP", "REFUND", "WITHDRAWAL", "SWAP"] as const)
    const rate = yield* dollar()
    const common = {
      partnerReference: null,
      provider: { name: "fake", environment: "LIVE" } as const,
      defaultFees: [],
      currencies
    }
    if (kind === "WITHDRAWAL")
      return yield* keyed(
        tenant,
        createWithdrawal({ ...common, amount: usdc, usd: rate, madeBy: "maker" }),
        "POST /v1/withdrawals"
      )
    if (kind === "SWAP")
      return yield* keyed(
        tenant,
        createSwap({
          madeBy: "maker",
          ...common,
          amount: usdc,
          toCurrency: "USDT_ETH",
          customerId: null,
          quoteId: null,
          rate,
          pair: { minimum: null, step: null }
        }),
        "POST /v1/swaps"
      )
    if (kind === "OFF_RAMP") return yield* keyed(tenant, createTransfer(baseRequest({ kind, amount: usdc })))
    if (kind === "REFUND")
      return yield* keyed(
        tenant,
        createTransfer(
          baseRequest({
            kind,
            amount,
            payee: null,
            refund: { refundOf: ids.length === 0 ? null : pick(ids), name: "x" }
          })
        )
      )
    return yield* keyed(
      tenant,
      createTransfer(baseRequest({ kind, amount, payee: kind === "ON_RAMP" ? null : baseRequest().payee }))
    )
  })
  const some = (most: bigint, currency: string) =>
    pick([
      null,
      of(0n, currency),
      of(most, currency),
      of(most / 2n, currency),
      of(most * 2n, currency),
      of(most, "GBP")
    ])
  const transferAnswer = (operation: Operation): ProviderResult<TransferState> => {
    const answer = pick<() => ProviderResult<TransferState>>([
      () => unknown("silence"),
      () => refused("never heard of it"),
      () => says(pick(["AWAITING_FUNDS", "IN_REVIEW", "PROCESSING", "SENT", "FAILED", "UNRESOLVED"] as const)),
      () => says("SETTLED", { received: operation.kind === "OFF_RAMP" ? of(5n, "EUR") : operation.amount, sender }),
      () =>
        says("SETTLED", {
          received: some(operation.amount.units, operation.amount.currency),
          sender: pick([null, sender])
        }),
      () =>
        says("RETURNED", {
          returned: operation.amount,
          received: some(operation.amount.units, operation.amount.currency)
        }),
      () =>
        says("RETURNED", {
          returned: some(operation.amount.units, operation.amount.currency),
          received: some(operation.amount.units, operation.amount.currency)
        })
    ])()
    // as it is, its order is the same for all
    return pick([answer, about(operation, answer)])
  }
  const custodyAnswer = (operation: Operation): ProviderResult<CustodyState> => {
    const providerReference = pick([operation.id, "shared"])
    return pick<() => ProviderResult<CustodyState>>([
      () => unknown("silence"),
      () => refused("never heard of it"),
      () => done<CustodyState>({ _tag: "Pending", providerReference, txHash: null }),
      () => done<CustodyState>({ _tag: "Failed", providerReference, reason: "no" }),
      () =>
        done<CustodyState>({
          _tag: "Settled",
          providerReference,
          txHash: null,
          networkFee: pick([null, of(7n, "USDC_BASE"), of(9n, "ETH_BASE"), of(0n, "ETH_BASE")]),
          received: of(
            pick([0n, 1n, operation.amount.units, operation.amount.units * 2n]),
            pick(["USDT_ETH", "USDT_ETH", "EUR"])
          ),
          feesBeside: pick([[], [of(3n, "USDC_BASE")], [of(3n, "BNB"), of(2n, "USDC_BASE")]])
        })
    ])()
  }
  for (let step = 0; step < steps; step += 1) {
    const what = below(10)
    if (what < 3 || ids.length === 0) {
      const made = yield* make
      if (typeof made !== "string") ids.push(made.id)
    } else {
      const operation = (yield* queries.operation(tenant, pick(ids))) ?? assert.fail("gone")
      const isCustody = operation.kind === "WITHDRAWAL" || operation.kind === "SWAP"
      const label = `seed ${seed} step ${step} ${operation.kind} ${operation.status}`
      if (what < 5)
        yield* survives(
          `${label} begin`,
          isCustody
            ? Effect.asVoid(submit(tenant, beginCustody(operation, { name: "fake", environment: "LIVE" })))
            : Effect.asVoid(
                submit(
                  tenant,
                  beginTransfer(operation, { name: "fake", environment: "LIVE" }, payerAsStored(operation))
                )
              )
        )
      else if (what === 5)
        yield* survives(`${label} cancel`, submit(tenant, cancelOperation({ operation, by: "vera", currencies })))
      else if (operation.details.sent_at !== undefined) {
        if (operation.kind === "SWAP")
          yield* survives(
            `${label} record`,
            submit(tenant, recordSwap({ operation, answer: custodyAnswer(operation), currencies }))
          )
        else if (operation.kind === "WITHDRAWAL")
          yield* survives(
            `${label} record`,
            submit(
              tenant,
              recordWithdrawal({
                operation,
                answer: custodyAnswer(operation),
                currencies,
                networkFeeBorneBy: pick(["RECEIVER", "SERVICE"])
              })
            )
          )
        else
          yield* survives(
            `${label} record`,
            submit(tenant, recordTransfer({ operation, answer: transferAnswer(operation), currencies }))
          )
      }
    }
    const [is, should] = yield* reserved(tenant, ids)
    assert.deepStrictEqual(is, should, `seed ${seed} step ${step}`)
  }
  assert.deepStrictEqual(yield* wrong(tenant), [], `seed ${seed}`)
})

describe("what is reserved of a place", () => {
  it.effect(
    "is what operations with a provider take, whatever providers say and however often, and every fact can be booked",
    () =>
      Effect.forEach(
        Array.from({ length: 40 }, (_, seed) => seed + 1),
        (seed) => Effect.provide(story(seed, 60), store),
        { discard: true }
      ),
    { timeout: 120_000 }
  )

  it.effect("never falls below nothing where a process of an earlier version sent an order and reserved nothing", () =>
    Effect.provide(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const old = yield* accept(tenant)
        const sentByOld: Operation = { ...old, details: { ...old.details, sent_at: old.createdAt } }
        yield* submit(tenant, {
          name: "SendOfOld",
          reads: [],
          decide: () => Result.succeed({ changes: [putRecord(Operation, sentByOld)], reply: null })
        })
        const after = yield* hear(tenant, sentByOld, says("SETTLED"))
        assert.strictEqual(after.status, "SETTLED")
        const records = yield* (yield* Queries).records(tenant, AssetReservation)
        assert.deepStrictEqual(
          records.map(({ units }) => units),
          [0n]
        )
      }),
      store
    )
  )
})
