import { coinSizes, scriptTypeOf } from "@bursar/core/outbound/CoinSizes"
import { feeAt, inputWeight, vbytesOf } from "@bursar/core/outbound/payFromCoins"
import { Queries } from "@bursar/core/port/Queries"
import { importedAddressKey } from "@bursar/core/sweep/ImportedAddressKey"
import type { Intake } from "@bursar/core/sweep/Intake"
import { weighSweep } from "@bursar/core/sweep/weighSweep"
import { Effect } from "effect"
import type { Sweeping, Waiting, Wallets } from "./Sweeping.ts"

const coinOf = ({ address, transferIndex, txHash, units }: Intake) => ({ txHash, vout: transferIndex, units, address })

/** The public keys of addresses that do not tell how they are spent (P2SH): those of imported keys. */
const publicKeysOf = Effect.fnUntraced(function* ({ tenantId, wallet }: Wallets, waiting: ReadonlyArray<Waiting>) {
  const queries = yield* Queries
  const hidden = waiting.filter(({ address }) => scriptTypeOf(address) === "p2sh")
  const found = yield* Effect.forEach(hidden, ({ address }) =>
    Effect.map(queries.record(tenantId, "ImportedAddressKey", importedAddressKey(wallet.network, address)), (key) =>
      key === undefined ? [] : ([[address, key.publicKey]] as const)
    )
  )
  return new Map(found.flat())
})

/**
 * Chooses the coins that one transaction moves, from many addresses: each must be worth several times what moving it costs, and
 * all of them together several times the whole transaction. Null with a reason where nothing is to be moved now.
 */
export const planCoins = Effect.fn("sweep.planCoins")(function* (
  { limits, send: { currencies, sender }, usd }: Sweeping,
  wallets: Wallets,
  waiting: ReadonlyArray<Waiting>
) {
  const { network } = sender
  const coin = currencies.byAsset(network, null)
  const rate = sender.feeRate === undefined ? null : yield* sender.feeRate
  if (coin === undefined || rate === null) return { _tag: "NotNow", reason: "cost_unknown" } as const
  const price = yield* usd(coin.code)
  const publicKeys = yield* publicKeysOf(wallets, waiting)
  const times = BigInt(limits.costTimes)
  const worthwhile = waiting
    .flatMap(({ intakes }) => intakes)
    .filter((intake) => {
      const weight = inputWeight(coinSizes, coinOf(intake))
      if (weight === null) return false
      if (scriptTypeOf(intake.address) === "p2sh" && !publicKeys.has(intake.address)) return false
      return intake.units * 4n > times * feeAt(rate, weight)
    })
    .toSorted((one, other) => (one.units === other.units ? 0 : one.units > other.units ? -1 : 1))
    .slice(0, limits.coinsMax)
  if (worthwhile.length === 0) return { _tag: "NotNow", reason: "too_dear" } as const
  const units = worthwhile.reduce((sum, intake) => sum + intake.units, 0n)
  const cost = feeAt(rate, vbytesOf(worthwhile.map(coinOf), [wallets.wallet.address], coinSizes))
  const weighed = weighSweep(
    { units, currency: coin, usd: price, cost, coin, coinUsd: price },
    {
      costTimes: limits.costTimes,
      costShareMaxPercent: limits.costShareMaxPercent[network],
      unitsLeast: limits.unitsLeast[coin.code] ?? 0n
    }
  )
  if (weighed._tag === "NotNow") return weighed
  const wishes = waiting.flatMap((one) => {
    const intakes = one.intakes.filter((intake) => worthwhile.includes(intake))
    return intakes.length === 0 ? [] : [{ ...one, intakes }]
  })
  return { _tag: "Move", wishes, units, publicKeys } as const
})
