import { CannotBuild, type Payment, type SendOrder, type UnsignedTransaction } from "@bursar/core/port/ChainSender"
import type { BlockRef, ChainError } from "@bursar/core/port/Chain"
import { Effect, Result } from "effect"
import { parseTronAddress, toHex } from "../../Address.ts"
import { inconsistent } from "../rpc/NodeAnswer.ts"
import { latestOf } from "../read/readHeader.ts"
import { nativeCost, bandwidthCost, energyCost, energyOfTransfer, withMargin } from "./costOf.ts"
import { readTokenBalance, tryTransfer } from "./contractCall.ts"
import { areBeyond, feeCeiling } from "./PriceCaps.ts"
import { bandwidthOf, encodeRaw, type RawTransaction } from "./RawTransaction.ts"
import { readAccount, readResources } from "./readAccount.ts"
import { type Prices, readPrices } from "./readPrices.ts"
import { freshHead, type SenderContext } from "./SenderContext.ts"

/** How far ahead of the newest block a transaction may expire. */
const expirationAheadMsMax = 86_400_000

const doing = "build a transaction"

const cannot = (reason: CannotBuild["reason"], detail: string, missing: CannotBuild["missing"] = null): CannotBuild =>
  new CannotBuild({ network: "tron", reason, detail, missing })

/** What is missing of TRX or, with `contract`, of a token. */
const insufficient = (contract: string | null, needed: bigint, held: bigint): CannotBuild =>
  cannot("insufficient_wallet", `${needed} base units of ${contract ?? "TRX"} are needed, ${held} are there`, {
    contract,
    units: needed - held
  })

/** The one payment of an order. What tron cannot do at all is a mistake of the caller, not something to be tried again. */
const paymentOf = ({ payments, replacing, guard }: SendOrder): Payment => {
  const [payment] = payments
  if (guard._tag !== "Expiry") throw new Error(`nothing is used up on tron, and so no ${guard._tag} either`)
  if (replacing !== null) throw new Error("nothing can be replaced on tron: the first must have expired")
  if (payment === undefined || payments.length > 1) throw new Error(`${payments.length} payments are not one`)
  return payment
}

const hexOf = (address: string): string => {
  const hex = toHex(address)
  if (hex === undefined) throw new Error(`${address} is not an address on tron`)
  return hex
}

/** What a transaction has beside what it does: a block of this chain, when it expires, and what makes it different from others. */
const frameOf = (
  { validityMs }: SenderContext,
  { salt, validUntil }: SendOrder,
  head: BlockRef,
  solid: BlockRef
): Result.Result<Pick<RawTransaction, "refBlockBytes" | "refBlockHash" | "expiration" | "timestamp">, ChainError> => {
  if (!Number.isSafeInteger(salt) || salt < 0) throw new Error(`${salt} is no salt`)
  const ahead = validUntil - head.time
  if (ahead <= 0 || ahead > expirationAheadMsMax) {
    return Result.fail(inconsistent(doing, `it would expire ${ahead} ms after the newest block`))
  }
  return Result.succeed({
    refBlockBytes: solid.hash.slice(12, 16),
    refBlockHash: solid.hash.slice(16, 32),
    expiration: BigInt(validUntil),
    // No node looks at it. Two orders are the same transaction only where they share both the salt and the expiry.
    timestamp: BigInt(Math.max(1, validUntil - validityMs) + salt)
  })
}

type Frame = Pick<RawTransaction, "refBlockBytes" | "refBlockHash" | "expiration" | "timestamp">

/** What a transaction is built from beside its order. */
interface Building extends SenderContext {
  readonly frame: Frame
  readonly prices: Prices
}

/** Who pays whom, both in hexadecimal. */
interface Transfer {
  readonly owner: string
  readonly to: string
  readonly units: bigint
}

/** A transfer of TRX. */
const nativeTransaction = Effect.fnUntraced(function* (
  { caps, frame, node, prices }: Building,
  { drain }: SendOrder,
  { owner, to, units }: Transfer
): Effect.fn.Return<RawTransaction, ChainError | CannotBuild> {
  if (owner === to) return yield* cannot("destination_invalid", "an account cannot send TRX to itself")
  const [sender, receiver, resources] = yield* Effect.all(
    [readAccount(node, owner), readAccount(node, to), readResources(node, owner)],
    { concurrency: 3 }
  )
  if (receiver?.isContract === true) {
    return yield* cannot("destination_invalid", "this is a contract, and contracts take no plain transfer of TRX")
  }
  const raw = (amount: bigint): RawTransaction => ({
    ...frame,
    feeLimit: 0n,
    action: { _tag: "Native", owner, to, units: amount }
  })
  // What is drained must leave the most that it can cost, which is more than it does cost where the receiver is active.
  const cost = drain
    ? feeCeiling(raw(units), caps)
    : nativeCost(prices, resources, receiver, bandwidthOf(encodeRaw(raw(units))))
  const needed = drain ? units : units + cost
  const held = sender?.balance ?? 0n
  if (held < needed) return yield* insufficient(null, needed, held)
  if (drain && units <= cost) return yield* insufficient(null, cost + 1n, units)
  return raw(drain ? units - cost : units)
})

/** A transfer of a token, tried before it is made. */
const tokenTransaction = Effect.fnUntraced(function* (
  { feeLimitMax, frame, node, prices }: Building,
  { drain }: SendOrder,
  { contract, ...rest }: Transfer & { readonly contract: string }
): Effect.fn.Return<RawTransaction, ChainError | CannotBuild> {
  const { owner, units } = rest
  const action = { ...rest, _tag: "Token" as const, contract: hexOf(contract) }
  const [held, sender, resources] = yield* Effect.all(
    [readTokenBalance(node, action.contract, owner), readAccount(node, owner), readResources(node, owner)],
    { concurrency: 3 }
  )
  if (held < units) return yield* insufficient(contract, units, held)
  const tried = yield* tryTransfer(node, action)
  if (tried._tag === "Reverted") {
    // With what waits for a block there may be less: then nobody blocks the transfer.
    const left = yield* readTokenBalance(node, action.contract, owner, "wallet")
    if (left < units) return yield* insufficient(contract, units, left)
    // What the owner cannot even send to itself is not the receiver's fault: the token is paused, or the owner blacklisted.
    const own = yield* tryTransfer(node, { ...action, to: owner })
    return yield* cannot(
      own._tag === "Reverted" ? "asset_blocked" : "destination_invalid",
      `the contract refuses the transfer: ${tried.reason}`
    )
  }
  const needed = withMargin(tried.energy)
  // A receiver who holds the token now may have emptied the account by then, which makes the transfer dearer. A sweep goes to
  // an account of ours.
  const worst = withMargin(energyOfTransfer.first)
  const energy = drain || needed > worst ? needed : worst
  const cap = feeLimitMax < prices.feeLimitMax ? feeLimitMax : prices.feeLimitMax
  if (needed * prices.energy > cap) {
    return yield* cannot("fee_capped", `the transfer may burn ${needed * prices.energy} sun, more than ${cap}`)
  }
  const feeLimit = energy * prices.energy < cap ? energy * prices.energy : cap
  const raw: RawTransaction = { ...frame, feeLimit, action }
  const cost = energyCost(prices, resources, needed) + bandwidthCost(prices, resources, bandwidthOf(encodeRaw(raw)))
  const balance = sender?.balance ?? 0n
  return balance < cost ? yield* insufficient(null, cost, balance) : raw
})

/** Builds what an order asks for, from what the chain says now. */
export const buildTransaction = Effect.fn("TronSender.build")(function* (
  context: SenderContext,
  order: SendOrder
): Effect.fn.Return<UnsignedTransaction, ChainError | CannotBuild> {
  const payment = paymentOf(order)
  const { contract, units } = payment
  const owner = hexOf(order.from)
  const parsed = parseTronAddress(context.pinned, payment.to)
  if (Result.isFailure(parsed)) return yield* cannot("destination_invalid", parsed.failure)
  if (payment.memo !== null) return yield* cannot("destination_invalid", "there are no memos on tron")
  if (units <= 0n) return yield* cannot("destination_invalid", "an amount above zero is needed")
  const to = hexOf(parsed.success)
  const [head, solid, prices] = yield* Effect.all(
    [freshHead(context), latestOf(context.node, "walletsolidity"), readPrices(context.node)],
    { concurrency: 3 }
  )
  const { caps } = context
  if (areBeyond(prices, caps)) {
    return yield* cannot("fee_capped", "the network asks more for bandwidth or for a new account than is allowed")
  }
  const frame = yield* Effect.fromResult(frameOf(context, order, head, solid))
  const raw = yield* contract === null
    ? nativeTransaction({ ...context, frame, prices }, order, { owner, to, units })
    : tokenTransaction({ ...context, frame, prices }, order, { owner, to, units, contract })
  return {
    bytes: encodeRaw(raw),
    feeMax: feeCeiling(raw, caps),
    payments: [{ ...payment, units: raw.action.units }],
    validUntil: order.validUntil
  }
})
