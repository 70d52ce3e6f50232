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
