import type { GrantValues } from "@bursar/core/grant/GrantDocument"
import { contractKey, type CurrencyTable } from "@bursar/core/money/Currency"
import type { Network } from "@bursar/core/money/Network"
import type { Payment } from "@bursar/core/port/ChainSender"
import type { Register } from "./store/Register.ts"

/** The most that a tenant's payouts pay of an asset, one of them or all within a time. The signer counts it by itself. */
export interface SignerLimit {
  /** As it stands in settings and messages. */
  readonly currency: string
  readonly network: Network
  /** Null for the native asset. */
  readonly contract: string | null
  /** In base units. */
  readonly units: bigint
  readonly period: "payment" | "hour" | "day"
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const lengthOf = { hour: hourMs, day: dayMs } as const

/** Why something is not signed, and when to ask again where time mends it. */
export interface SignerObjection {
  readonly reason: string
  readonly retryAfterMs?: number
}

/** When there is room again within a limit is not worked out: this is often enough. */
const retryAfter = { hour: hourMs / 4, day: hourMs } as const

/** What is to be paid to others. */
export interface ToPay {
  readonly tenantId: string
  readonly network: Network
  readonly payments: ReadonlyArray<Pick<Payment, "contract" | "units">>
  readonly uses: ReadonlyArray<string>
  /** The keys of the requests that ask for it. */
  readonly keys: ReadonlyArray<string>
  readonly now: number
}

/** Why payments go beyond a limit; undefined where they do not. */
export const limitObjection = (
  limits: ReadonlyArray<SignerLimit>,
  register: Pick<Register, "paidSince">,
  { keys, network, now, payments, tenantId, uses }: ToPay
): SignerObjection | undefined => {
  for (const { contract, currency, network: of, period, units } of limits) {
    if (of !== network) continue
    const asked = payments.filter((one) => contractKey(one.contract) === contractKey(contract))
    if (asked.length === 0) continue
    const limit = `the signer's limit for ${currency} is ${units} base units per ${period}`
    if (period === "payment") {
      const beyond = asked.find((one) => one.units > units)
      if (beyond !== undefined) return { reason: `${limit}; ${beyond.units} are asked for` }
      continue
    }
    const sum = asked.reduce((all, one) => all + one.units, 0n)
    const before = register.paidSince(tenantId, { network, contract }, now - lengthOf[period], { keys, uses })
    if (before + sum > units) {
      const reason = `${limit}; ${before} were signed, and ${sum} are asked for`
      // what is more than the limit by itself never has room
      return sum > units ? { reason } : { reason, retryAfterMs: retryAfter[period] }
    }
  }
  return undefined
}

/** The limits that were granted, for the assets of the currency table. A currency that is not in it cannot be paid on a chain: `tellingLimits` says so. */
export const limitsOfGrants = (
  granted: ReadonlyArray<GrantValues<"currency_limit">>,
  currencies: CurrencyTable
): ReadonlyArray<SignerLimit> =>
  granted.flatMap(({ currency, per_day, per_hour, per_payment }) => {
    const asset = currencies.byCode(currency)?.asset
    if (asset == null) return []
    const { contract, network } = asset
    const of = (period: SignerLimit["period"], units: string | null): ReadonlyArray<SignerLimit> =>
      units === null ? [] : [{ currency, network, contract, period, units: BigInt(units) }]
    return [...of("payment", per_payment), ...of("hour", per_hour), ...of("day", per_day)]
  })

/** How many addresses of a tenant are given coin for fees on a network within a day. */
export const topUpsPerDayDefault = 1_000

/** What coin for fees is given to, and how often that was done before. */
export interface ToTopUp {
  readonly tenantId: string
  readonly network: Network
  readonly uses: ReadonlyArray<string>
  /** How many addresses the transaction gives coin to. */
  readonly count: number
  readonly now: number
}

/**
 * Why no more coin for fees is given away; undefined where it is. Each address gets little, and nobody signs for it: without a limit on
 * their number, whoever has an imported key could empty a wallet of coin by many.
 */
export const topUpObjection = (
  perDay: number,
  register: Pick<Register, "toppedUpSince">,
  { count, network, now, tenantId, uses }: ToTopUp
): SignerObjection | undefined => {
  if (count === 0) return undefined
  const before = register.toppedUpSince({ tenantId, network }, now - dayMs, uses)
  return before + BigInt(count) > BigInt(perDay)
    ? {
        reason: `${before} addresses on ${network} were given coin for fees within a day, and the signer's limit is ${perDay}`,
        retryAfterMs: retryAfter.day
      }
    : undefined
}

/** How much transactions of a tenant that pay nobody else cost on a network within a day: so many times the network's cap on the fees of one. */
export const ownFeesPerDayDefault = 100

/** What a transaction that pays nobody else costs at most. */
export interface OwnFees {
  readonly tenantId: string
  readonly network: Network
  readonly uses: ReadonlyArray<string>
  readonly feeMax: bigint
  readonly now: number
}

/**
 * Why no more is spent on fees of transactions that pay nobody else; undefined where it is. Nobody signs for them: without a limit, whoever can
 * talk to the signer could burn all coin of a wallet on payments to itself. What takes the place of a payout counts and is never refused, so that a payout
 * can always be stopped: a partner has signed for that one, and only one of the two takes effect.
 */
export const ownFeesObjection = (
  perDay: bigint,
  register: Pick<Register, "earlier" | "ownFeesSince">,
  { feeMax, network, now, tenantId, uses }: OwnFees
): SignerObjection | undefined => {
  const before = register.ownFeesSince({ tenantId, network }, now - dayMs, uses)
  if (before + feeMax <= perDay) return undefined
  if (register.earlier({ tenantId, network, uses, keys: [] }).some(({ keys }) => keys.length > 0)) return undefined
  return {
    reason: `transactions on ${network} that pay nobody else cost up to ${before} base units within a day, this one up to ${feeMax}, and the signer's limit is ${perDay}`,
    retryAfterMs: retryAfter.day
  }
}
