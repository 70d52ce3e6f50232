import type { CurrencyTable } from "@bursar/core/money/Currency"
import { type ProviderResult, done, refused, unknown } from "@bursar/core/port/ProviderResult"
import type { WithdrawalState, WithdrawOrder } from "@bursar/core/port/Custodian"
import { Clock, Effect } from "effect"
import { answerOfAbsence, isTooOld } from "../inFlight.ts"
import type { StoreError } from "../store/SandboxStore.ts"
import type { StoredState } from "../store/openState.ts"
import { type CustodianState, type Holding, moving, type WithdrawalRow, withOrder } from "./CustodianState.ts"
import { nextOutcome } from "./nextOutcome.ts"
import type { Payer } from "./Payer.ts"

/** What withdrawals need. */
export interface WithdrawalSettings {
  readonly currencies: CurrencyTable
  readonly state: StoredState<CustodianState>
  readonly payer: Payer
  readonly held: Holding
  /** What is taken for a withdrawal, in base units; undefined where the currency cannot be withdrawn. */
  readonly feeUnits: (currency: string) => bigint | undefined
}

/** How the custodian calls an order. */
export const providerReferenceOf = (reference: string): string => `sandbox-${reference}`

const answered = (effect: Effect.Effect<ProviderResult<WithdrawalState>, StoreError>) =>
  Effect.catch(effect, (error) => Effect.succeed(unknown(error.message)))

const isSame = (row: WithdrawalRow, order: WithdrawOrder) =>
  row.currency === order.amount.currency &&
  row.units === order.amount.units &&
  row.network === order.network &&
  row.address === order.address &&
  row.memo === order.memo

/** Withdrawals of the sandbox. Both must be called one at a time. */
export const withdrawals = ({ currencies, feeUnits, held, payer, state }: WithdrawalSettings) => {
  const put = (reference: string, row: WithdrawalRow) =>
    Effect.as(
      state.update((before) => withOrder(before, reference, row)),
      row
    )

  const wordsOf = (reference: string, text: string) =>
    Effect.map(Clock.currentTimeMillis, (at) => ({ at, references: [providerReferenceOf(reference)], text }))

  const giveUp = Effect.fnUntraced(function* (reference: string, row: WithdrawalRow, reason: string) {
    const failed: WithdrawalRow = { ...row, stage: "failed", reason }
    const words = yield* wordsOf(reference, "withdrawal given up")
    yield* state.update((before) => moving(withOrder(before, reference, failed), row.currency, row.units, words))
    return failed
  })

  const pay = Effect.fn("SandboxCustodian.pay")(function* (
    reference: string,
    taken: WithdrawalRow,
    order: WithdrawOrder
  ): Effect.fn.Return<WithdrawalRow, StoreError> {
    const asset = currencies.byCode(taken.currency)?.asset
    if (asset == null) return yield* giveUp(reference, taken, "no network has this currency")
    const row = yield* put(reference, { ...taken, stage: "paying" })
    return yield* Effect.matchEffect(
      payer.pay({
        network: asset.network,
        contract: asset.contract,
        units: row.units - row.feeUnits,
        to: order.address,
        memo: order.memo
      }),
      {
        onSuccess: ({ txHash }) => put(reference, { ...row, stage: "paid", txHash }),
        onFailure: (error) => (error.sent === "no" ? giveUp(reference, row, error.detail) : Effect.succeed(row))
      }
    )
  })

  const go = (reference: string, row: WithdrawalRow, order: WithdrawOrder) => {
    switch (row.outcome) {
      case "settle":
      case "timeout_then_settle":
        return pay(reference, row, order)
      case "fail":
      case "timeout_then_fail":
        return giveUp(reference, row, "the sandbox was told to let it fail")
      case "never":
        return Effect.succeed(row)
    }
  }

  const stateOf = Effect.fn("SandboxCustodian.stateOf")(function* (
    reference: string,
    found: WithdrawalRow,
    order: WithdrawOrder
  ): Effect.fn.Return<ProviderResult<WithdrawalState>, StoreError> {
    if (found.outcome === "never") return unknown("the sandbox was told never to say")
    // The sandbox stopped after it had taken the order and before it paid.
    const row = found.stage === "taken" ? yield* go(reference, found, order) : found
    const providerReference = providerReferenceOf(reference)
    if (row.stage === "failed") {
      return done({ _tag: "Failed", providerReference, reason: row.reason ?? "given up" })
    }
    if (row.txHash === null) return unknown("the sandbox does not know whether its payment was made")
    if (!(yield* payer.confirmed(order.network, row.txHash))) {
      return done({ _tag: "Pending", providerReference, txHash: row.txHash })
    }
    const networkFee = { units: row.feeUnits, currency: row.currency }
    return done({ _tag: "Settled", providerReference, txHash: row.txHash, networkFee })
  })

  const withdrawal = (order: WithdrawOrder, seen: string | null) =>
    answered(
      Effect.gen(function* () {
        const row = (yield* state.get).orders[order.reference]
        if (row === undefined) return yield* answerOfAbsence(order.sentAt, seen)
        if (row._tag !== "Withdrawal" || !isSame(row, order)) return refused("the reference is another order's")
        return yield* stateOf(order.reference, row, order)
      })
    )

  const withdraw = (order: WithdrawOrder) =>
    answered(
      Effect.gen(function* () {
        const { amount, network, reference } = order
        const before = yield* state.get
        if (before.orders[reference] !== undefined) return yield* withdrawal(order, null)
        if (yield* isTooOld(order.sentAt)) return refused("the order is too old to be sent")
        const fee = feeUnits(amount.currency)
        if (fee === undefined || currencies.byCode(amount.currency)?.asset?.network !== network) {
          return refused(`${amount.currency} cannot be withdrawn on ${network}`)
        }
        if (amount.units <= fee) return refused("the amount does not cover the network fee")
        if (held(before, amount.currency) < amount.units) return refused("the balance does not suffice")
        const { outcome, rest } = nextOutcome(before, "withdrawal")
        const row: WithdrawalRow = {
          _tag: "Withdrawal",
          outcome,
          currency: amount.currency,
          units: amount.units,
          reason: null,
          network,
          address: order.address,
          memo: order.memo,
          feeUnits: fee,
          stage: "taken",
          txHash: null
        }
        const words = yield* wordsOf(reference, "withdrawal")
        yield* state.update((now) =>
          moving(withOrder({ ...now, script: rest }, reference, row), row.currency, -row.units, words)
        )
        const gone = yield* go(reference, row, order)
        return outcome === "settle" || outcome === "fail"
          ? done<WithdrawalState>({
              _tag: "Pending",
              providerReference: providerReferenceOf(reference),
              txHash: gone.txHash
            })
          : unknown("the sandbox was told to let the caller wait in vain")
      })
    )

  return { withdraw, withdrawal }
}
