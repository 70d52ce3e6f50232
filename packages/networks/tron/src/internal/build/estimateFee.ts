import type { ChainError } from "@bursar/core/port/Chain"
import type { ChainSender, FeeEstimate } from "@bursar/core/port/ChainSender"
import { BigInt as Big, Effect } from "effect"
import { toHex } from "../../Address.ts"
import { readTokenBalance, tryTransfer } from "./contractCall.ts"
import { bandwidthCost, nativeCost, energyCost, energyOfTransfer, noResources, withMargin } from "./costOf.ts"
import { type Action, bandwidthOf, encodeRaw } from "./RawTransaction.ts"
import { readAccount, readResources, type Resources } from "./readAccount.ts"
import { areBeyond } from "./PriceCaps.ts"
import type { Node } from "../rpc/Node.ts"
import { readPrices } from "./readPrices.ts"
import { freshHead, type SenderContext } from "./SenderContext.ts"

interface Asked extends Readonly<Parameters<ChainSender["estimate"]>[0]> {
  /** How many other transfers of the sender use up what it may use without paying. */
  readonly beside: number
}

/** Stands for an address that is not known. */
const anyone = `41${"ff".repeat(20)}`

/** The bandwidth of a transaction, which depends on nothing but what it does: the rest is as long as it will be. */
const bandwidthOfAction = (action: Action): bigint =>
  bandwidthOf(
    encodeRaw({
      refBlockBytes: "ffff",
      refBlockHash: "ff".repeat(8),
      expiration: 2_000_000_000_000n,
      timestamp: 2_000_000_000_000n,
      feeLimit: action._tag === "Native" ? 0n : 100_000_000n,
      action
    })
  )

/** What is left of what a sender may use without paying beside other transfers, each of which may be to somebody who holds nothing of a token. */
const resourcesOf = Effect.fnUntraced(function* (node: Node, { beside, from }: Asked, bandwidth: bigint) {
  if (from === null) return noResources
  const { energy, freeBandwidth, stakedBandwidth } = yield* readResources(node, from)
  const beyond = (there: bigint, each: bigint) => Big.max(there - BigInt(beside) * each, 0n)
  const resources: Resources = {
    energy: beyond(energy, withMargin(energyOfTransfer.first)),
    stakedBandwidth: beyond(stakedBandwidth, bandwidth),
    freeBandwidth: beyond(freeBandwidth, bandwidth)
  }
  return resources
})

/** What a payment costs, by what a node tells. */
interface Told extends FeeEstimate {
  /** The same, of what may be paid at all; null where more is asked. */
  readonly planned: bigint | null
}

const estimateNative = Effect.fnUntraced(function* (
  { caps, node }: SenderContext,
  asked: Asked
): Effect.fn.Return<Told, ChainError> {
  const { from, to, units } = asked
  const prices = yield* readPrices(node)
  const bandwidth = bandwidthOfAction({ _tag: "Native", owner: from ?? anyone, to: to ?? anyone, units })
  const resources = yield* resourcesOf(node, asked, bandwidth)
  const receiver = to === null ? null : yield* readAccount(node, to)
  const fee = nativeCost(prices, resources, receiver, bandwidth)
  return {
    fee,
    recipientHoldsAsset: null,
    assumedWorstCase: to === null,
    planned: areBeyond(prices, caps) ? null : fee
  }
})

/** What a transfer takes of energy: tried where the sender is known and has as much, else by what such a transfer is known to take. */
const energyOf = Effect.fnUntraced(function* (
  { node }: SenderContext,
  contract: string,
  { from, to, units }: Asked,
  holds: boolean | null
): Effect.fn.Return<bigint, ChainError> {
  const usual = holds === true ? energyOfTransfer.holding : energyOfTransfer.first
  if (from === null || to === null || (yield* readTokenBalance(node, contract, from)) < units) return usual
  const tried = yield* tryTransfer(node, { owner: from, contract, to, units })
  return tried._tag === "Returned" ? tried.energy : usual
})

const estimateToken = Effect.fnUntraced(function* (
  context: SenderContext,
  contract: string,
  asked: Asked
): Effect.fn.Return<Told, ChainError> {
  const { caps, feeLimitMax, node } = context
  const { from, to, units } = asked
  const prices = yield* readPrices(node)
  const holds = to === null ? null : (yield* readTokenBalance(node, contract, to)) > 0n
  const energy = yield* energyOf(context, contract, asked, holds)
  const bandwidth = bandwidthOfAction({ _tag: "Token", owner: from ?? anyone, contract, to: to ?? anyone, units })
  const resources = yield* resourcesOf(node, asked, bandwidth)
  const burnt = energyCost(prices, resources, energy)
  const burntMax = Big.min(feeLimitMax, prices.feeLimitMax)
  const bandwidthFee = bandwidthCost(prices, resources, bandwidth)
  // the dearest receiver is no one in particular: another may be cheap enough
  const isCapped = areBeyond(prices, caps) || (to !== null && withMargin(energy) * prices.energy > burntMax)
  return {
    fee: burnt + bandwidthFee,
    recipientHoldsAsset: holds,
    assumedWorstCase: holds === null,
    planned: isCapped ? null : Big.min(burnt, burntMax) + bandwidthFee
  }
})

const unknown: Told = { fee: null, recipientHoldsAsset: null, assumedWorstCase: false, planned: null }

const readCost = Effect.fnUntraced(function* (
  context: SenderContext,
  { contract, from, to, units }: Parameters<ChainSender["estimate"]>[0],
  beside: number
): Effect.fn.Return<Told> {
  const hexes = [from, to, contract].map((address) => (address === null ? null : toHex(address)))
  const [sender, receiver, token] = hexes
  if (sender === undefined || receiver === undefined || token === undefined || units < 0n) return unknown
  const asked = { from: sender, to: receiver, contract: token, units, beside }
  return yield* freshHead(context).pipe(
    Effect.andThen(token === null ? estimateNative(context, asked) : estimateToken(context, token, asked)),
    Effect.orElseSucceed(() => unknown)
  )
})

/** What a payment would cost now; all null where that cannot be told. */
export const estimateFee = Effect.fn("TronSender.estimate")(function* (
  context: SenderContext,
  payment: Parameters<ChainSender["estimate"]>[0]
): Effect.fn.Return<FeeEstimate> {
  const { planned: _planned, ...estimate } = yield* readCost(context, payment, 0)
  return estimate
})

/**
 * What a payment would cost now beside so many others of the sender, of what may be paid at all. Null where that cannot be told, or more is asked:
 * what one node makes up keeps nothing waiting, and a price above the cap shows as that when the payment is built.
 */
export const plannedFee = Effect.fn("TronSender.plannedFee")(function* (
  context: SenderContext,
  payment: Parameters<ChainSender["estimate"]>[0],
  beside: number
): Effect.fn.Return<bigint | null> {
  return (yield* readCost(context, payment, beside)).planned
})
