import type { DepositAddress } from "../address/DepositAddress.ts"
import type { DepositIdentity } from "../deposit/Deposit.ts"
import { defineRecord } from "../engine/Records.ts"

/** Which key of the vault an address has: the one of a seed at an index, or one that the tenant has handed over. */
export type SweepKey =
  | { readonly _tag: "Issued"; readonly seedId: string; readonly index: number }
  | { readonly _tag: "Imported" }

/** The key of an address; undefined where the service holds none. */
export const sweepKeyOf = ({
  derivationIndex,
  origin,
  seedId
}: Pick<DepositAddress, "derivationIndex" | "origin" | "seedId">): SweepKey | undefined => {
  if (origin === "IMPORTED") return { _tag: "Imported" }
  return origin === "ISSUED" && seedId !== null && derivationIndex !== null
    ? { _tag: "Issued", seedId, index: derivationIndex }
    : undefined
}

/**
 * A confirmed deposit on an address whose key the service holds, as sweeps see it. It is in one sweep at most, and stays in that
 * one for good once it was swept.
 */
export interface SweepableDeposit extends DepositIdentity {
  readonly depositId: string
  readonly addressId: string
  /** Canonical; on stellar the muxed form. */
  readonly address: string
  readonly currency: string
  /** The pinned contract of the currency, null for the native asset. */
  readonly contract: string | null
  readonly units: bigint
  readonly key: SweepKey
  /** Its block is not on the chain any more. */
  readonly gone: boolean
  /** The sweep that takes it, or has taken it. */
  readonly sweepId: string | null
  /** The ADJUSTMENT that booked it where it was not credited, while it is booked. */
  readonly bookedBy: string | null
  /** How much of it was credited and backs nothing, as whoever handed over its key may move it. It is counted in `UnsweptImports`. */
  readonly unbacked: bigint
}

/** How much of an intake backs nothing while no sweep has it: all that was credited on an address of an imported key. */
export const unbackedWhileFree = ({
  bookedBy,
  gone,
  key,
  units
}: Pick<SweepableDeposit, "bookedBy" | "gone" | "key" | "units">): bigint =>
  key._tag === "Imported" && bookedBy === null && !gone ? units : 0n

/** The key of an intake: that of its deposit. */
export const sweepableKey = ({ network, transferIndex, txHash }: DepositIdentity): string =>
  `${network}|${txHash}|${transferIndex}`

/** Whether an intake waits to be swept. */
export const isFree = ({ gone, sweepId }: Pick<SweepableDeposit, "gone" | "sweepId">): boolean =>
  !gone && sweepId === null

/** Intakes by their deposits. The free ones of an address are a group. */
export const SweepableDeposit = defineRecord<SweepableDeposit>({
  name: "SweepableDeposit",
  key: sweepableKey,
  group: (sweepable) => (isFree(sweepable) ? sweepable.addressId : null)
})
