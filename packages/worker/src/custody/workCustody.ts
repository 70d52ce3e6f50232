import { beginCustody, sentAtOf } from "@bursar/core/custody/beginCustody"
import { contradiction } from "@bursar/core/custody/contradiction"
import { hearReplaced } from "@bursar/core/custody/hearReplaced"
import { areTenthOf } from "@bursar/core/custody/excessiveFee"
import { custodianQueue } from "@bursar/core/custody/CustodyStep"
import { rulingOf } from "@bursar/core/grant/Ruling"
import type { Job } from "@bursar/core/engine/Job"
import type { Fence } from "@bursar/core/engine/fenced"
import type { Amount } from "@bursar/core/money/Amount"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Operation } from "@bursar/core/operation/Operation"
import { providerMissing } from "@bursar/core/operation/waits"
import { usdOf } from "@bursar/core/port/Prices"
import { type ProviderResult, unknown } from "@bursar/core/port/ProviderResult"
import type { ConvertOrder, Custodian, WithdrawOrder } from "@bursar/core/port/Custodian"
import type { Networks } from "@bursar/core/port/Networks"
import { lookAtCooling } from "@bursar/core/leaving/uncooled"
import { lookAtPrices } from "@bursar/core/leaving/unreviewed"
import { lookAtSignature } from "@bursar/core/leaving/unsigned"
import { Queries } from "@bursar/core/store/Queries"
import { lookAtMarket } from "@bursar/core/leaving/quoteOvertaken"
import { recordSwap } from "@bursar/core/swap/recordSwap"
import { toCurrencyOf } from "@bursar/core/swap/toCurrencyOf"
import { withTold } from "@bursar/core/swap/withTold"
import { acceptedDestination } from "@bursar/core/destination/acceptedDestination"
import { hearWithdrawalReplaced } from "@bursar/core/withdrawal/hearWithdrawalReplaced"
import { recordWithdrawal } from "@bursar/core/withdrawal/recordWithdrawal"
import { Effect } from "effect"
import { hearBeside } from "../calls/hearBeside.ts"
import { alone, sendOrAsk } from "../calls/sendOrAsk.ts"
import { noteCall } from "../calls/noteCall.ts"
import { logContradiction } from "../queue/logContradiction.ts"
import { logDeferred } from "../queue/logDeferred.ts"
import { type QueueLimits, workQueue } from "../queue/workQueue.ts"
import { submitFenced } from "../watch/submitFenced.ts"
import { convertCall, withdrawCall } from "./custodyCalls.ts"

/** How custodians are driven. */
export interface CustodyOptions {
  /** Those that can be asked here. Each order is sent to the one that its operation names, and to no other. */
  readonly custodians: ReadonlyArray<Custodian["Service"]>
  readonly currencies: CurrencyTable
  /** The networks on which they pay, as far as they are on: one payment has several addresses on some. */
  readonly networks: Pick<Networks["Service"], "get">
  readonly limits?: QueueLimits
}

const withdrawOrder = (operation: Operation): WithdrawOrder | undefined => {
  const { amount, id, network } = operation
  const destination = acceptedDestination(operation)
  return network === null || destination === undefined
    ? undefined
    : { reference: id, sentAt: sentAtOf(operation), amount, network, ...destination }
}

const convertOrder = (operation: Operation): ConvertOrder => ({
  reference: operation.id,
  sentAt: sentAtOf(operation),
  amount: operation.amount,
  to: toCurrencyOf(operation)
})

/** What an order is to be asked of, and how. */
interface Asking extends Pick<CustodyOptions, "networks"> {
  readonly operation: Operation
  readonly first: boolean
  /** The one that the operation names; undefined where it cannot be asked here, and then nobody is. */
  readonly custodian: Custodian["Service"] | undefined
  readonly currencies: CurrencyTable
}

const notConfigured = ({ provider }: Operation) =>
  unknown(`the order is with ${provider ?? "no provider"}, which is not configured`)

/** What an order came to, where its custodian says that it is carried out. */
const settledOf = <A extends { readonly _tag: string }>(answer: ProviderResult<A>) =>
  answer._tag === "Done" && isSettled(answer.value) ? answer.value : undefined

const isSettled = <A extends { readonly _tag: string }>(state: A): state is Extract<A, { readonly _tag: "Settled" }> =>
  state._tag === "Settled"

/**
 * What currencies are worth by which the fees that a custodian tells are judged, and what it has left unsold; nothing is asked where the fees
 * are small together, and all was sold.
 */
const usdToJudge = ({ amount }: Operation, fees: ReadonlyArray<Amount>, sold = amount) => {
  const isAsked = !areTenthOf(amount, fees) || sold.units < amount.units
  return usdOf(isAsked ? [amount, ...fees].map(({ currency }) => currency) : [])
}

const withdraw = Effect.fnUntraced(function* (
  fence: Fence,
  { currencies, custodian, first, networks, operation }: Asking
) {
  const order = withdrawOrder(operation)
  const { answer, beside } =
    custodian === undefined
      ? alone(notConfigured(operation))
      : order === undefined
        ? alone(unknown("the operation does not say where it goes"))
        : yield* sendOrAsk(operation, first, (by) =>
            noteCall(withdrawCall({ custodian, operation, order, first, by, currencies }))
          )
  const networkFeeBorneBy = custodian?.networkFeeBorneBy ?? "RECEIVER"
  const fee = networkFeeBorneBy === "SERVICE" ? settledOf(answer)?.networkFee : undefined
  const usd = yield* usdToJudge(operation, fee == null ? [] : [fee])
  const partOf = operation.network === null ? undefined : networks.get(operation.network)?.partOf
  const recording = recordWithdrawal({ operation, answer, networkFeeBorneBy, currencies, usd, partOf })
  const after = yield* submitFenced(fence, operation.tenantId, recording)
  yield* logContradiction(operation, after)
  const { networks: traits } = currencies
  yield* hearBeside(fence, after, beside, (one, said) =>
    hearWithdrawalReplaced(one, { answer: said, networks: traits, partOf })
  )
})

const convert = Effect.fnUntraced(function* (fence: Fence, { currencies, custodian, first, operation }: Asking) {
  const order = convertOrder(operation)
  const { answer, beside } =
    custodian === undefined
      ? alone(notConfigured(operation))
      : yield* sendOrAsk(operation, first, (by) =>
          noteCall(convertCall({ custodian, operation, order, first, by, currencies }))
        )
  const heard = settledOf(answer)
  const made = heard && withTold(operation, heard)
  const usd = yield* usdToJudge(operation, made?.feesBeside ?? [], made?.sold)
  const recording = recordSwap({ operation, answer, currencies, usd })
  const after = yield* submitFenced(fence, operation.tenantId, recording)
  yield* logContradiction(operation, after)
  yield* hearBeside(fence, after, beside, (one, said) => hearReplaced(one, said, contradiction))
})

const step = Effect.fn("custody.step")(function* (
  fence: Fence,
  { key, tenantId }: Job,
  { currencies, custodians, networks }: CustodyOptions
) {
  const read = yield* (yield* Queries).operation(tenantId, key)
  if (read === undefined) return
  const custodian = custodians.find(({ name }) => name === read.provider)
  const ruling = yield* rulingOf(tenantId)
  const task = yield* submitFenced(
    fence,
    tenantId,
    beginCustody(read, custodian, {
      ruling,
      cooling: yield* lookAtCooling(read, ruling),
      seen: yield* lookAtSignature(read, ruling),
      valued: yield* lookAtPrices(ruling, currencies, [read]),
      market: yield* lookAtMarket(read, custodian, currencies)
    })
  )
  if (task._tag === "Nothing") return
  if (task._tag === "Wait") return yield* logDeferred(read, task.objection)
  const { operation } = task
  const asking: Asking = { operation, first: task._tag === "Send", custodian, currencies, networks }
  if (custodian === undefined) yield* logDeferred(operation, providerMissing(operation))
  yield* operation.kind === "SWAP" ? convert(fence, asking) : withdraw(fence, asking)
})

/**
 * Carries withdrawals and swaps to the custodians that they name and records what becomes of them, elected as `custody`. An order
 * is sent once, after the intent was recorded; from then on it is asked for by our own reference until the answer is certain. What
 * may not leave, or names a custodian that is not configured, waits and is told of.
 */
export const workCustody = (options: CustodyOptions) =>
  workQueue({
    name: "custody",
    queues: [custodianQueue],
    handle: (fence, item) => step(fence, item, options),
    ...(options.limits && { limits: options.limits })
  })
