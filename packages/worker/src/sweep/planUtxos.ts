import { utxoSizes, scriptTypeOf } from "@bursar/core/transaction/UtxoSizes"
import { feeAt, inputWeight, vbytesOf } from "@bursar/core/transaction/payFromUtxos"
import { Queries } from "@bursar/core/store/Queries"
import { importedAddressKey, ImportedAddressKey } from "@bursar/core/sweep/ImportedAddressKey"
import type { SweepableDeposit } from "@bursar/core/sweep/SweepableDeposit"
import { assessSweep } from "@bursar/core/sweep/assessSweep"
import { Effect } from "effect"
import type { Sweeping, Waiting, Wallets } from "./Sweeping.ts"

const coinOf = ({ address, transferIndex, txHash, units }: SweepableDeposit) => ({
  txHash,
  vout: transferIndex,
  units,
  address
})

/** The public keys of addresses that do not tell how they are spent (P2SH): those of imported keys. */
const publicKeysOf = Effect.fnUntraced(function* (
  family: string,
  { tenantId }: Wallets,
  waiting: ReadonlyArray<Waiting>
) {
  const queries = yield* Queries
  const hidden = waiting.filter(({ address }) => scriptTypeOf(address) === "p2sh")
  const found = yield* Effect.forEach(hidden, ({ address }) =>
    Effect.map(queries.record(tenantId, ImportedAddressKey, importedAddressKey(family, address)), (key) =>
      key === undefined ? [] : ([[address, key.publicKey]] as const)
    )
  )
  return new Map(found.flat())
})

/**
 * Chooses the UTXOs that one transaction moves, from many addresses: each must be worth several times what moving it costs, and
 * all of them together several times the whole transaction. Null with a reason where nothing is to be moved now.
 */
export const planUtxos = Effect.fn("sweep.planCoins")(function* (
  { limits, send: { currencies, sender, traits }, usd }: Sweeping,
  wallets: Wallets,
  waiting: ReadonlyArray<Waiting>
) {
  const { network } = sender
  const native = currencies.byAsset(network, null)
  const rate = sender.feeRate === undefined ? null : yield* sender.feeRate
  if (native === undefined || rate === null) return { _tag: "NotNow", reason: "cost_unknown" } as const
  const price = yield* usd(native.code)
  const publicKeys = yield* publicKeysOf(traits.family, wallets, waiting)
  const times = BigInt(limits.costTimes)
  const worthwhile = waiting
    .flatMap(({ sweepables }) => sweepables)
    .filter((sweepable) => {
      const weight = inputWeight(utxoSizes, coinOf(sweepable))
      if (weight === null) return false
      if (scriptTypeOf(sweepable.address) === "p2sh" && !publicKeys.has(sweepable.address)) return false
      return sweepable.units * 4n > times * feeAt(rate, weight)
    })
    .toSorted((one, other) => (one.units === other.units ? 0 : one.units > other.units ? -1 : 1))
    .slice(0, limits.utxosMax)
  if (worthwhile.length === 0) return { _tag: "NotNow", reason: "uneconomic" } as const
  const units = worthwhile.reduce((sum, sweepable) => sum + sweepable.units, 0n)
  const cost = feeAt(rate, vbytesOf(worthwhile.map(coinOf), [wallets.wallet.address], utxoSizes))
  const assessed = assessSweep(
    { units, currency: native, usd: price, cost, native, nativeUsd: price },
    {
      costTimes: limits.costTimes,
      costShareMaxPercent: { ...traits.limits, ...limits.network }.sweepCostShareMaxPercent,
      unitsLeast: limits.unitsLeast[native.code] ?? 0n
    }
  )
  if (assessed._tag === "NotNow") return assessed
  const requests = waiting.flatMap((one) => {
    const sweepables = one.sweepables.filter((sweepable) => worthwhile.includes(sweepable))
    return sweepables.length === 0 ? [] : [{ ...one, sweepables }]
  })
  return { _tag: "Move", requests, units, publicKeys } as const
})
