import type { Payment } from "@bursar/core/port/ChainSender"
import type { SignTransaction } from "@bursar/core/port/TransactionSigner"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import type { Signing } from "../../process/SignerDesk.ts"

/** What the signer is asked for, one after the other: a theft where all of it is given. */
export type Asks = ReadonlyArray<SignTransaction>

/** A payment to somebody, for whom, and what is shown for it. */
export interface Forged extends Pick<SignTransaction, "requests"> {
  readonly tenantId: TenantId
  readonly payment: Omit<Payment, "memo">
}

/** What can be tried on networks of a family by whoever reads all that was signed. */
export interface Theft {
  /** Whether it can do anything with what was signed. */
  readonly isOfUse: (signing: Signing) => boolean
  /** What it may ask for, by names; undefined where that is not possible now. */
  readonly wishes: ReadonlyArray<readonly [name: string, asks: (before: SignTransaction) => Asks | undefined]>
  /** A payment that nobody made before, with what pays for it. */
  readonly pay: (before: SignTransaction, forged: Forged) => Asks | undefined
  /** Gives the network what was signed, in the order in which it was asked for. Says by what name the network knows it. */
  readonly give: (signed: ReadonlyArray<Uint8Array>) => string
}
