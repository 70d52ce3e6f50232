import { Clock, Effect, Option } from "effect"
import { grantedPolicy } from "../grant/GrantState.ts"
import type { Ruling } from "../grant/Ruling.ts"
import { grantedSigningKeys } from "../grant/signingByGrants.ts"
import type { Operation } from "../operation/Operation.ts"
import type { OperationKind } from "../operation/OperationKind.ts"
import { SignedOrders } from "../port/SignedOrders.ts"
import type { SignedProduct } from "../tenant/Tenant.ts"

/** What a policy demands a signature for, by the operations that a custodian or a bank carries out. */
const products: Partial<Readonly<Record<OperationKind, SignedProduct>>> = {
  WITHDRAWAL: "withdrawals",
  SWAP: "swaps",
  OFF_RAMP: "transfers",
  BANK_TRANSFER: "transfers",
  REFUND: "transfers"
}

/** An operation as it was looked at, with why its partner's signature does not carry it. */
export interface Unsigned {
  readonly read: Operation
  readonly objection: string | undefined
}

const unverifiable = "nothing here can verify what the partner has signed"

/**
 * Looks whether an operation is what its partner has signed, where the granted policy demands a signature: a row of the database is believed
 * neither the policy nor the key, nor the receiver. Where rows decide, or the chains do not hold, nothing is said here.
 */
export const lookAtSignature = Effect.fn("leaving.lookAtSignature")(function* (
  read: Operation,
  ruling: Ruling
): Effect.fn.Return<Unsigned> {
  const product = products[read.kind]
  if (ruling === undefined || "_tag" in ruling || product === undefined) return { read, objection: undefined }
  if (grantedPolicy(ruling.tenant)?.signaturesRequired.includes(product) !== true) return { read, objection: undefined }
  const verifier = yield* Effect.serviceOption(SignedOrders)
  if (Option.isNone(verifier)) return { read, objection: unverifiable }
  const now = yield* Clock.currentTimeMillis
  const signingKeys = grantedSigningKeys(ruling.tenant)
  return { read, objection: yield* verifier.value.objection({ operation: read, signingKeys, now }) }
})

/** What of an operation says what is ordered: none of it changes between acceptance and sending. */
const orderText = ({ actsFor, amount, customerId, details, kind, network, provider }: Operation): string =>
  JSON.stringify([
    kind,
    amount.currency,
    String(amount.units),
    customerId,
    actsFor,
    network,
    provider,
    details.payee,
    details.refund_of,
    details.destination,
    details.to_currency,
    details.rail,
    details.quote_id,
    details.provider_customer_id
  ])

/** Why an operation may not be sent by what was seen of its signature; undefined where it may. */
export const unsignedObjection = (operation: Operation, seen: Unsigned | undefined): string | undefined => {
  if (seen === undefined) return undefined
  return (
    seen.objection ??
    (orderText(operation) === orderText(seen.read) ? undefined : "it was changed while its signature was looked at")
  )
}
