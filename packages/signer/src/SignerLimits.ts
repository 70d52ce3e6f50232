import type { Network } from "@bursar/core/money/Network"
import type { Payment } from "@bursar/core/port/ChainSender"
import { contractKey, type Register } from "./store/Register.ts"

/** The most that a tenant is paid of an asset within a time. The signer counts it by itself. */
export interface SignerLimit {
  /** As it stands in settings and messages. */
  readonly currency: string
  readonly network: Network
  /** Null for the native asset. */
  readonly contract: string | null
  /** In base units. */
  readonly units: bigint
  readonly period: "hour" | "day"
}

const hourMs = 3_600_000
const lengthOf = { hour: hourMs, day: 24 * hourMs } as const

/** What is to be paid to others. */
export interface ToPay {
  readonly tenantId: string
  readonly network: Network
  readonly payments: ReadonlyArray<Pick<Payment, "contract" | "units">>
  readonly now: number
}

/** Why payments go beyond a limit; undefined where they do not. */
export const limitObjection = (
  limits: ReadonlyArray<SignerLimit>,
  register: Pick<Register, "paidSince">,
  { network, now, payments, tenantId }: ToPay
): string | undefined => {
  for (const { contract, currency, network: of, period, units } of limits) {
    if (of !== network) continue
    const asked = payments.reduce(
      (sum, one) => (contractKey(one.contract) === contractKey(contract) ? sum + one.units : sum),
      0n
    )
    if (asked === 0n) continue
    const before = register.paidSince(tenantId, { network, contract }, now - lengthOf[period])
    if (before + asked > units)
      return `the signer's limit for ${currency} is ${units} base units per ${period}; ${before} were signed, and ${asked} are asked for`
  }
  return undefined
}
