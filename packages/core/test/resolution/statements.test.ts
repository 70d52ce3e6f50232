import { putRecord } from "@bursar/core/engine/Records"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { Operation, operationKinds } from "@bursar/core/operation/Operation"
import { done } from "@bursar/core/port/ProviderResult"
import { isResolvable, Resolution, type Statement } from "@bursar/core/resolution/Resolution"
import { proposeResolution } from "@bursar/core/resolution/resolutionCommands"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { recordWithdrawal } from "@bursar/core/withdrawal/recordWithdrawal"
import { writing } from "@bursar/testkit/fixtures/commands"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { accepted as acceptedPayout, payer as chainPayer } from "../payout/world.ts"
import { accept, balanceOf, float, hear, payer, says, send, store, submit, told, wrong } from "../transfer/world.ts"
import { euros, million, resolved, sentWithdrawal, stated, swapSent, transferSent, withdrawal } from "./world.ts"

const proposing = (operation: Operation, statement: Statement) =>
  proposeResolution({ operation, statement, by: "anna", currencies: defaultCurrencies })

/** The code of a refusal, and the field that it names; null where a statement is proposed. */
const refusal = (tenant: TenantId, operation: Operation, statement: Statement) =>
  submit(tenant, proposing(operation, statement)).pipe(
    Effect.as(null),
    Effect.catchTag("Refusal", ({ code, detail }) => {
      const fields = detail?.["fields"]
      const [field] = Array.isArray(fields) ? fields : []
      return Effect.succeed([code, typeof field === "object" && field !== null && "path" in field ? field.path : null])
    })
  )

const refuses = Effect.fnUntraced(function* (
  { operation, tenant }: { readonly operation: Operation; readonly tenant: TenantId },
  field: string | null,
  statements: ReadonlyArray<readonly [string, Statement]>
) {
  const expected = field === null ? ["state_conflict", null] : ["invalid_request", `body.${field}`]
  for (const [what, statement] of statements) {
    assert.deepStrictEqual(yield* refusal(tenant, operation, statement), expected, what)
    assert.deepStrictEqual(yield* (yield* Queries).records(tenant, Resolution, operation.id), [], what)
  }
})

const fee = { amount: of(10_000n, "USDC_BASE"), borneBy: "RECEIVER" } as const
const failed = { outcome: "FAILED" } as const

describe("what operators state of an order", () => {
  it("is of a kind that a provider carries out", () => {
    assert.deepStrictEqual(operationKinds.filter(isResolvable).toSorted(), [
      "BANK_TRANSFER",
      "OFF_RAMP",
      "ON_RAMP",
      "REFUND",
      "SWAP",
      "WITHDRAWAL"
    ])
  })

  it.effect("is refused where its reference became known since it was read, and taken once it is read again", () =>
    Effect.gen(function* () {
      const neverMade = stated({ outcome: "FAILED", providerReference: null })
      for (const [{ operation, tenant }, statement] of [
        [yield* sentWithdrawal, neverMade],
        [yield* swapSent, neverMade],
        [yield* transferSent, neverMade],
        [yield* sentWithdrawal, stated({ providerReference: "o-1" })],
        [yield* transferSent, stated({ providerReference: "o-1", ...euros(10_000n) })]
      ] as const) {
        const known: Operation = { ...operation, unresolved: true, providerReference: "o-1" }
        yield* submit(
          tenant,
          writing(() => [putRecord(Operation, known)])
        )
        assert.deepStrictEqual(yield* refusal(tenant, operation, statement), ["state_conflict", null], operation.kind)
        assert.isNull(yield* refusal(tenant, known, statement), operation.kind)
      }
    }).pipe(Effect.provide(store))
  )

  it.effect("of a withdrawal says that it was paid or failed, and what it cost only where it was paid", () =>
    Effect.gen(function* () {
      const made = yield* sentWithdrawal
      yield* refuses(made, "outcome", [["it came back", stated({ outcome: "RETURNED" })]])
      yield* refuses(made, "network_fee", [["a fee of what failed", stated({ ...failed, networkFee: fee })]])
      yield* refuses(made, "received", [
        ["something received", stated({ received: of(1n, "USDC_BASE") })],
        ["something received by a failure", stated({ ...failed, received: of(1n, "USDC_BASE") })]
      ])
      yield* refuses(made, "provider_reference", [["no id of the order", stated({ providerReference: null })]])
      yield* refuses(made, "basis", [
        ["the chain, which proves no failure", stated({ ...failed, basis: "CHAIN", txHash: "0x1" })],
        ["the chain without a transaction", stated({ basis: "CHAIN" })]
      ])
      yield* refuses(made, null, [["a transaction that nobody has proven", stated({ basis: "CHAIN", txHash: "0x1" })]])
      for (const statement of [
        stated(),
        stated({ networkFee: fee }),
        stated({ providerReference: null, txHash: "0x1" }),
        stated(failed),
        stated({ ...failed, providerReference: null })
      ]) {
        const { operation, tenant } = yield* sentWithdrawal
        assert.isNull(yield* refusal(tenant, operation, statement))
      }
    }).pipe(Effect.provide(store))
  )

  it.effect("of a swap or a transfer says what arrived or came back, which is more than nothing", () =>
    Effect.gen(function* () {
      const [swap, transfer] = [yield* swapSent, yield* transferSent]
      yield* refuses(swap, "outcome", [["it came back", stated({ outcome: "RETURNED", ...euros(1n) })]])
      for (const made of [swap, transfer]) {
        yield* refuses(made, "network_fee", [["a fee of the network", stated({ networkFee: fee, ...euros(1n) })]])
        yield* refuses(made, "basis", [
          ["the chain", stated({ basis: "CHAIN", txHash: "0x1", received: of(1n, made.operation.amount.currency) })]
        ])
        yield* refuses(made, "received", [
          ["nothing of what arrived", stated()],
          ["less than something", stated({ received: of(0n, "USDT_ETH") })],
          ["something received by a failure", stated({ ...failed, received: of(1n, "USDT_ETH") })]
        ])
        yield* refuses(made, "provider_reference", [
          ["no id of the order", stated({ providerReference: null, received: of(1n, "USDT_ETH") })]
        ])
      }
      yield* refuses(transfer, "received", [["nothing of what came back", stated({ outcome: "RETURNED" })]])
    }).pipe(Effect.provide(store))
  )

  it.effect("is refused where the books would not take it", () =>
    Effect.gen(function* () {
      const swap = yield* swapSent
      yield* refuses(swap, null, [["another currency than was bought", stated(euros(5n))]])
    }).pipe(Effect.provide(store))
  )

  it.effect("is nothing of what was not sent, is over, or has the chain's word", () =>
    Effect.gen(function* () {
      yield* refuses(yield* withdrawal, null, [["it was not sent", stated()]])
      const tenant = yield* payer()
      yield* refuses({ tenant, operation: yield* accept(tenant) }, null, [["it was not sent", stated(euros(10_000n))]])
      const over = yield* sentWithdrawal
      const settled = { _tag: "Settled", providerReference: "w-1", txHash: "0x1", networkFee: null } as const
      yield* submit(
        over.tenant,
        recordWithdrawal({
          operation: over.operation,
          answer: done(settled),
          currencies: defaultCurrencies,
          networkFeeBorneBy: "RECEIVER"
        })
      )
      yield* refuses(over, null, [
        ["it is over", stated()],
        ["it is over, and has not failed", stated(failed)]
      ])
      const { id } = yield* chainPayer()
      yield* refuses({ tenant: id, operation: yield* acceptedPayout(id) }, null, [["the chain says", stated()]])
      const [adjustment] = yield* (yield* Queries).register(id, { kind: "ADJUSTMENT", limit: 1 })
      if (adjustment === undefined) return assert.fail("the float was funded")
      yield* refuses({ tenant: id, operation: adjustment }, null, [["no provider carries it out", stated()]])
      const nobodys = { ...over.operation, id: "nowhere" }
      assert.deepStrictEqual(yield* refusal(over.tenant, nobodys, stated()), ["not_found", null])
      return undefined
    }).pipe(Effect.provide(store))
  )

  it.effect("may be that a settled transfer came back, until all of it has", () =>
    Effect.gen(function* () {
      const tenant = yield* payer()
      const operation = yield* hear(tenant, yield* send(tenant), says("SETTLED"))
      const back = stated({ outcome: "RETURNED", ...euros(10_000n) })
      const after = yield* resolved(tenant, operation, back)
      assert.strictEqual(after.status, "RETURNED")
      assert.deepStrictEqual(yield* refusal(tenant, after, back), ["state_conflict", null])
      assert.deepStrictEqual(yield* refusal(tenant, after, stated({ ...euros(10_000n) })), ["state_conflict", null])
      assert.deepStrictEqual(yield* wrong(tenant), [])
    }).pipe(Effect.provide(store))
  )
})

describe("what two operators state of an order", () => {
  it.effect("of a withdrawal ends it as its custodian's answer would, and the fee is whose they say", () =>
    Effect.gen(function* () {
      for (const [networkFee, borne, custodian] of [
        [null, 0n, 5n * million],
        [fee, 0n, 5n * million],
        [{ ...fee, borneBy: "SERVICE" }, 10_000n, 5n * million + 10_000n]
      ] as const) {
        const { operation, tenant } = yield* sentWithdrawal
        const providerReference = `theirs-${operation.id}`
        const txHash = `0x${operation.id}`
        const after = yield* resolved(tenant, operation, stated({ networkFee, txHash, providerReference }))
        assert.deepInclude(after, { status: "SETTLED", providerReference, txHash })
        assert.strictEqual(yield* balanceOf(tenant, "network_fees", "USDC_BASE"), borne)
        assert.strictEqual(
          yield* balanceOf(tenant, "custodian", "USDC_BASE"),
          million * million - custodian,
          JSON.stringify(networkFee?.borneBy)
        )
        assert.deepStrictEqual(yield* float(tenant, "USDC_BASE"), [million * million - 5n * million, 0n])
        assert.deepStrictEqual(yield* wrong(tenant), [])
      }
    }).pipe(Effect.provide(store))
  )

  it.effect("of a failure gives back what was held, and says why", () =>
    Effect.gen(function* () {
      for (const { operation, tenant } of [yield* sentWithdrawal, yield* swapSent]) {
        const after = yield* resolved(tenant, operation, stated({ ...failed, providerReference: null }))
        assert.deepInclude(after, { status: "FAILED", providerReference: null })
        assert.strictEqual(after.details.failure_detail, "As it was told on the phone.")
        assert.deepStrictEqual(yield* float(tenant, "USDC_BASE"), [million * million, 0n])
        assert.deepStrictEqual(yield* wrong(tenant), [])
      }
      const { operation, tenant } = yield* transferSent
      const after = yield* resolved(tenant, operation, stated({ ...failed, providerReference: null }))
      assert.deepInclude(after, { status: "FAILED", providerReference: null })
      // and so do its events
      const ends = (yield* told(tenant, operation)).filter(({ kind }) => kind.endsWith(".failed"))
      assert.deepStrictEqual(
        ends.map(({ data }) => data["provider_reference"]),
        [null]
      )
      assert.deepStrictEqual(yield* float(tenant), [100_000n, 0n])
      assert.deepStrictEqual(yield* wrong(tenant), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("of a swap or a transfer books what they say that arrived", () =>
    Effect.gen(function* () {
      const swap = yield* swapSent
      const bought = of(4_900_000n, "USDT_ETH")
      const after = yield* resolved(swap.tenant, swap.operation, stated({ received: bought }))
      assert.deepInclude(after, { status: "SETTLED", toAmount: bought, providerReference: "theirs-1" })
      assert.strictEqual((yield* float(swap.tenant, "USDT_ETH"))[0], 4_900_000n)
      assert.deepStrictEqual(yield* wrong(swap.tenant), [])
      const transfer = yield* transferSent
      const word = stated({ ...euros(10_000n), providerReference: "theirs-2" })
      const settled = yield* resolved(transfer.tenant, transfer.operation, word)
      assert.deepInclude(settled, { status: "SETTLED", providerReference: "theirs-2" })
      assert.deepStrictEqual(yield* wrong(transfer.tenant), [])
    }).pipe(Effect.provide(store))
  )
})
