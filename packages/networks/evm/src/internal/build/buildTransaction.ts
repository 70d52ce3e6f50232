import { Effect, Result } from "effect"
import type { ChainError } from "@bursar/core/port/Chain"
import type { CannotBuild, Payment, SendOrder, UnsignedTransaction } from "@bursar/core/port/ChainSender"
import { checksummed, parseEvmAddress } from "../../Address.ts"
import { toChainError } from "../rpc/NodeAnswer.ts"
import { type Draft, encodeDraft } from "./Draft.ts"
import { bidFor } from "./gasPrices.ts"
import { readRollupFee } from "./rollupFee.ts"
import { cannotBuild, type SenderContext } from "./SenderContext.ts"
import { decodeSigned, type SignedTransaction } from "./SignedTransaction.ts"
import { simulate, type Simulation, withRoom, withRoomForEmptied } from "./simulate.ts"
import { transferData } from "../rpc/tokenCall.ts"

/** More bytes than an unsigned transfer of a token has: 20 of the payer, and a payload of at most 170. */
const sizeBytesMax = 192

/** What base charges for Ethereum moves with Ethereum's own fees: so many times as much is kept ready. */
const rollupMargin = 2n

const bug = (message: string) => Effect.die(new Error(message))

/** The nonce, payment and payer of an order. What cannot be an order of this network is a bug of who made it. */
const understood = Effect.fnUntraced(function* (context: SenderContext, order: SendOrder) {
  const { network } = context
  const [payment, ...others] = order.payments
  if (order.guard._tag !== "Sequence") return yield* bug(`an order on ${network} needs a nonce`)
  const from = checksummed(order.from)
  if (checksummed(order.guard.account) !== from) return yield* bug("the nonce is of another account")
  if (others.length > 0) return yield* bug(`a transaction on ${network} makes one payment`)
  const nonce = order.guard.sequence
  if (payment === undefined) return { from, nonce, payment: undefined }
  const { contract, memo, units } = payment
  if (units <= 0n) return yield* bug("a payment of nothing")
  if (memo !== null) return yield* cannotBuild(context, "destination_invalid", `${network} has no memos.`)
  const pinned = contract === null ? null : context.contracts.get(contract.toLowerCase())
  if (pinned === undefined) return yield* bug(`${contract} is no pinned token of ${network}`)
  const to = yield* Effect.fromResult(parseEvmAddress(network, [...context.contracts.keys()], payment.to)).pipe(
    Effect.mapError((refusal) => cannotBuild(context, "destination_invalid", refusal))
  )
  const wanted: Payment = { to, contract: pinned, units, memo: null }
  return { from, nonce, payment: wanted }
})

/** The transaction that is to be replaced. It must be the order's own: anything else is a bug. */
const replacedOf = Effect.fnUntraced(function* (
  raw: Uint8Array,
  { from, nonce }: { readonly from: string; readonly nonce: bigint }
) {
  const replaced = yield* Result.match(decodeSigned(raw), {
    onFailure: (refusal) => bug(`what is to be replaced cannot be read: ${refusal}`),
    onSuccess: Effect.succeed
  })
  return replaced.draft.from === from && replaced.draft.nonce === nonce
    ? replaced
    : yield* bug("what is to be replaced has another payer or nonce")
})

const refusalOf = (context: SenderContext, simulation: Exclude<Simulation, { readonly _tag: "Passes" }>) => {
  const { _tag, detail } = simulation
  if (_tag === "InsufficientFunds")
    return cannotBuild(context, "insufficient_wallet", `the wallet has too little coin: ${detail}`)
  return _tag === "ContractRefuses"
    ? cannotBuild(context, "asset_blocked", `the token lets this wallet pay nobody: ${detail}`)
    : cannotBuild(context, "destination_invalid", `the receiver cannot be paid: ${detail}`)
}

/** A payment, or none, as value, calldata and receiver. */
const callOf = (from: string, payment: Payment | undefined): Pick<Draft, "to" | "value" | "data"> => {
  if (payment === undefined) return { to: from, value: 0n, data: "0x" }
  const { contract, to, units } = payment
  return contract === null
    ? { to, value: units, data: "0x" }
    : { to: contract, value: 0n, data: transferData(to, units) }
}

/** A replacement pays the same, gives up, or drains less than before; so it does not matter which one is mined. */
const agrees = (replaced: SignedTransaction, call: Pick<Draft, "to" | "value" | "data">, order: SendOrder): boolean => {
  const { data, to, value } = replaced.draft
  if (order.payments.length === 0) return true
  return call.to === to && call.data === data && (call.value === value || (order.drain && call.data === "0x"))
}

/**
 * An order as a transaction of type 2.
 *
 * **Details**
 *
 * The payment is simulated on the newest block; the bid is twice the base fee and the tip, at most the cap; coin and tokens
 * have to be there for this one order (that they suffice for all that are under way is for the caller to reserve). A drain
 * gives what is left of its `units` after the most that it can cost. A replacement bids a tenth more on both fields.
 */
export const buildTransaction = Effect.fn("EvmSender.build")(function* (
  context: SenderContext,
  order: SendOrder
): Effect.fn.Return<UnsignedTransaction, ChainError | CannotBuild> {
  const { network, reads } = context
  const refused = toChainError(network)
  const { from, nonce, payment } = yield* understood(context, order)
  const replaced = order.replacing === null ? undefined : yield* replacedOf(order.replacing, { from, nonce })
  const contract = payment?.contract ?? null
  const [prices, native, held, simulation] = yield* Effect.all(
    [
      context.prices,
      context.balanceOf({ address: from, contract: null }),
      contract === null ? Effect.succeed(0n) : context.balanceOf({ address: from, contract }),
      simulate(reads, context, from, payment)
    ],
    { concurrency: "unbounded" }
  ).pipe(Effect.catchTag("NodeRefusal", (refusal) => Effect.fail(refused(refusal))))

  if (payment !== undefined && contract !== null && held < payment.units) {
    const missing = { contract, units: payment.units - held }
    return yield* cannotBuild(context, "insufficient_wallet", `the wallet holds ${held} units of ${contract}`, missing)
  }
  const lacking = (needed: bigint) =>
    cannotBuild(context, "insufficient_wallet", `the wallet holds ${native} wei and needs ${needed}`, {
      contract: null,
      units: needed - native
    })
  const given = payment !== undefined && contract === null ? payment.units : 0n
  if (native < given) return yield* lacking(given)
  if (simulation._tag !== "Passes") return yield* refusalOf(context, simulation)

  const wanted = withRoom(simulation.gas)
  if (wanted > context.gasMax) {
    const detail = `the payment would take ${wanted} gas, more than the ${context.gasMax} allowed`
    return yield* cannotBuild(context, "destination_invalid", detail)
  }
  const bid = yield* Effect.fromResult(bidFor(prices, context.feeCapPerGas, replaced?.draft)).pipe(
    Effect.mapError((needed) =>
      cannotBuild(
        context,
        "fee_capped",
        `${network} asks ${needed} wei for a unit of gas, and no more than ${context.feeCapPerGas} may be bid`
      )
    )
  )
  const offerOf = Effect.fnUntraced(function* (room: bigint) {
    const gas = replaced === undefined || replaced.draft.gas < room ? room : replaced.draft.gas
    const posting = context.rollup === "op-stack" ? rollupMargin * (yield* readRollupFee(reads, sizeBytesMax, gas)) : 0n
    return { gas, feeMax: gas * bid.maxFeePerGas + posting }
  })
  const generous = contract === null ? wanted : withRoomForEmptied(simulation.gas)
  const offer = yield* offerOf(generous <= context.gasMax ? generous : wanted)
  // an address that is swept was given coin for less: it pays a wallet, which nobody empties on purpose
  const { feeMax, gas } = contract !== null && native < offer.feeMax ? yield* offerOf(wanted) : offer

  const drained = order.drain && payment !== undefined && contract === null
  if (drained && payment.units <= feeMax) {
    const detail = `${payment.units} wei do not pay for their own way, which costs up to ${feeMax}`
    const missing = { contract: null, units: feeMax - payment.units + 1n }
    return yield* cannotBuild(context, "insufficient_wallet", detail, missing)
  }
  const paid = drained ? { ...payment, units: payment.units - feeMax } : payment
  const needed = drained ? given : given + feeMax
  if (native < needed) return yield* lacking(needed)

  const call = callOf(from, paid)
  if (replaced !== undefined && !agrees(replaced, call, order)) return yield* bug("a replacement must pay the same")
  return {
    bytes: encodeDraft({ from, chainId: context.chainId, nonce, gas, ...call, ...bid }),
    feeMax,
    payments: paid === undefined ? [] : [paid],
    validUntil: null
  }
})
