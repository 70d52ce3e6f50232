import type { ProofSubject } from "../address/AddressProof.ts"
import { defineRecord } from "../engine/Records.ts"
import type { DepositIdentity } from "./Deposit.ts"

/** A confirmed deposit that is credited once its address has been proven. */
export interface UnprovenDeposit extends DepositIdentity {
  readonly depositId: string
  readonly subject: ProofSubject
  readonly addressId: string
  /** Canonical. */
  readonly address: string
  readonly currency: string
  readonly fromAddress: string | null
  /** Whether it still waits. */
  readonly waits: boolean
}

/** Unproven deposits by their ids. Those that wait for the proof of a subject are a group. */
export const UnprovenDeposit = defineRecord<UnprovenDeposit>({
  name: "UnprovenDeposit",
  key: ({ depositId }) => depositId,
  group: ({ subject, waits }) => (waits ? subject : null)
})

/**
 * Unproven deposits in the order in which they are credited: what came from where another of them had come to is last, for the tenant may have
 * moved the same coins on.
 */
export const inCreditingOrder = (waiting: ReadonlyArray<UnprovenDeposit>): ReadonlyArray<UnprovenDeposit> => {
  const came = new Set(waiting.map(({ address }) => address))
  const isMovedOn = ({ fromAddress }: UnprovenDeposit) => fromAddress !== null && came.has(fromAddress)
  return [...waiting.filter((one) => !isMovedOn(one)), ...waiting.filter(isMovedOn)]
}
