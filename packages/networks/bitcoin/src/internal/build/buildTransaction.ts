import { Effect, Result } from "effect"
import { type UtxoSizes, utxoSizes, scriptTypeOf } from "../plan/UtxoSizes.ts"
import { feeAt, payFromUtxos, sumOf, vbytesOf } from "../plan/payFromUtxos.ts"
import type { ChainError } from "@bursar/core/port/Chain"
import { CannotBuild, type Payment, type SendOrder, type UnsignedTransaction } from "@bursar/core/port/ChainSender"
import type { Utxo } from "@bursar/core/port/Utxo"
import type { BitcoinChainName } from "../facts.ts"
import { unreachable } from "../rpc/NodeAnswer.ts"
import { scriptOfAddress } from "../rpc/scriptOfAddress.ts"
import { weightMax } from "./Limits.ts"
import { feeFloor } from "./replaced.ts"
import type { SenderContext } from "./SenderContext.ts"
import { spentOutputs } from "./spentOutputs.ts"
import { writePsbt } from "./UnsignedPsbt.ts"
import { keyOf } from "./unspent.ts"

const doing = "build a transaction"

const refusal =
  (reason: CannotBuild["reason"]) =>
  (detail: string, missing: bigint | null = null): CannotBuild =>
    new CannotBuild({
      network: "bitcoin",
      reason,
      detail,
      missing: missing === null ? null : { contract: null, units: missing }
    })

const insufficient = refusal("insufficient_wallet")
const invalid = refusal("destination_invalid")
const capped = refusal("fee_capped")

/** Why nothing of the kind can be paid to a receiver, whatever the amount, or undefined. */
const receiverFault = (chain: BitcoinChainName, { contract, memo, to }: Payment): string | undefined => {
  if (contract !== null) return "bitcoin has no assets but its own coin"
  if (memo !== null) return "bitcoin has no memos"
  const script = scriptOfAddress(chain, to)
  return Result.isFailure(script) ? script.failure : undefined
}

/** Why a payment cannot be made, or undefined. */
const paymentFault = (chain: BitcoinChainName, payment: Payment): string | undefined => {
  const fault = receiverFault(chain, payment)
  if (fault !== undefined) return fault
  const { to, units } = payment
  const dust = utxoSizes.dust[scriptTypeOf(to)]
  return units < dust ? `${units} satoshi to ${to} are less than the ${dust} that nodes relay` : undefined
}

/** The coins of an order. Throws on an order that no caller may make. */
const utxosOf = ({ drain, payments, guard }: SendOrder, paymentsMax: number): ReadonlyArray<Utxo> => {
  if (guard._tag !== "Utxos" || guard.utxos.length === 0) throw new Error("a transaction of bitcoin spends coins")
  if (new Set(guard.utxos.map(keyOf)).size !== guard.utxos.length) throw new Error("a coin stands twice in the order")
  if (payments.length > paymentsMax) throw new Error(`no more than ${paymentsMax} payments in a transaction`)
  if (drain && payments.length !== 1) throw new Error("what drains has one receiver")
  return guard.utxos
}

/**
 * A replacement that nobody has asked for pays so many times what it would have to pay without what others have built on what it replaces. A receiver can
 * build something large there at no cost: it is gone with what it was built on.
 */
const descendantsTimesMax = 3n

/** What a transaction pays, its change last, and its fee. */
interface Plan {
  readonly payments: ReadonlyArray<Payment>
  readonly change: bigint
  readonly fee: bigint
  readonly vbytes: bigint
}

const plan = (
  order: SendOrder,
  utxos: ReadonlyArray<Utxo>,
  sizes: UtxoSizes,
  feeOf: (vbytes: bigint) => bigint
): Result.Result<Plan, CannotBuild> => {
  const { from, payments } = order
  const [first] = payments
  if (order.drain && first !== undefined) {
    const vbytes = vbytesOf(utxos, [first.to], sizes)
    const fee = feeOf(vbytes)
    const units = sumOf(utxos) - fee
    const dust = sizes.dust[scriptTypeOf(first.to)]
    if (units >= dust) return Result.succeed({ payments: [{ ...first, units }], change: 0n, fee, vbytes })
    return Result.fail(insufficient(`the coins hold ${sumOf(utxos)} satoshi, and the fee is ${fee}`, dust - units))
  }
  const balance = payFromUtxos({ utxos, targets: payments, changeTo: from, sizes, feeOf })
  if (balance._tag === "Enough") return Result.succeed({ ...balance, payments })
  const detail = `the coins reserved for the payment lack ${balance.units} satoshi for it and its fee`
  return Result.fail(insufficient(detail, balance.units))
}

/**
 * Builds a transaction that spends the coins of the order, all of them and no others, and gives what is left to `from`. The
 * bytes are those of a PSBT. Never fails for want of something that the order does not name: the coins were chosen before.
 */
export const buildTransaction = Effect.fn("BitcoinSender.build")(function* (
  context: SenderContext,
  order: SendOrder
): Effect.fn.Return<UnsignedTransaction, ChainError | CannotBuild> {
  const { chain, feeRateMax, paymentsMax, rates, rpc } = context
  const utxos = yield* Effect.sync(() => utxosOf(order, paymentsMax))
  // Where it drains the amount is found below.
  const faultOf = order.drain ? receiverFault : paymentFault
  const fault = order.payments.map((payment) => faultOf(chain, payment)).find((one) => one !== undefined)
  if (fault !== undefined) return yield* invalid(fault)
  const spent = yield* spentOutputs(rpc, chain, utxos)
  const { current, incremental } = yield* rates
  if (current === null) {
    return yield* unreachable(doing, "the node has no estimate of fees, and no rate is configured for that case")
  }
  if (order.replacing === null && current > feeRateMax) {
    return yield* capped(`the network asks for ${current} satoshi per 1,000 vB, and the cap is ${feeRateMax}`)
  }
  const rate = current > feeRateMax ? feeRateMax : current
  const { replacing } = order
  const floor =
    replacing === null ? undefined : yield* feeFloor({ rpc, chain, incremental }, { ...order, replacing }, utxos)
  const over = (vbytes: bigint, least = 0n) => {
    const byRate = feeAt(rate, vbytes)
    return byRate > least ? byRate : least
  }
  const feeOf = (vbytes: bigint) => over(vbytes, floor?.all(vbytes))
  const { change, fee, payments, vbytes } = yield* Effect.fromResult(plan(order, utxos, utxoSizes, feeOf))
  if (vbytes * 4n > BigInt(weightMax)) return yield* insufficient("the coins are too many for one transaction")
  if (feeOf(vbytes) > feeAt(feeRateMax, vbytes)) {
    return yield* capped(`a replacement must pay ${feeOf(vbytes)} satoshi, and the cap is ${feeRateMax} per 1,000 vB`)
  }
  const own = over(vbytes, floor?.own(vbytes))
  if (order.insists !== true && feeOf(vbytes) > own * descendantsTimesMax) {
    const detail = `a replacement must pay ${feeOf(vbytes)} satoshi for what others have built on what it replaces, and ${own} without that: bump it to pay so much`
    return yield* capped(detail)
  }
  const left = change > 0n ? [{ to: order.from, units: change }] : []
  const outputs = [...payments, ...left].map(({ to, units }) => ({
    units,
    // All of them were checked, but for the payer's own address: a wrong one is a mistake of the caller.
    script: Result.getOrThrowWith(scriptOfAddress(chain, to), (words) => new Error(words))
  }))
  return { bytes: writePsbt(spent, outputs), feeMax: fee, payments, validUntil: null }
})
