import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import type { Writer } from "@bursar/core/engine/Writer"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Operation } from "@bursar/core/operation/Operation"
import { attachEvidence } from "@bursar/core/payout/attachEvidence"
import { givenBefore, notGiven } from "@bursar/core/payout/givenBefore"
import { canonicalHash } from "@bursar/core/payout/PayoutEvidence"
import type { Proof } from "@bursar/core/port/ChainSender"
import type { Networks } from "@bursar/core/port/Networks"
import type { Queries } from "@bursar/core/store/Queries"
import type { ResolutionBasis } from "@bursar/core/resolution/Resolution"
import { noteEvidence } from "@bursar/core/resolution/noteEvidence"
import { isSamePayment } from "@bursar/core/withdrawal/paymentOf"
import { acceptedDestination } from "@bursar/core/destination/acceptedDestination"
import { Effect } from "effect"
import { orUnavailable, submit, submitPrepared } from "../../../refusals.ts"
import { invalidField } from "../found.ts"
import { networkTraits } from "../networkTraits.ts"
import { Payout } from "@bursar/core/payout/Payout"

/** What giving evidence stands on. */
export interface EvidencePorts {
  readonly queries: Queries["Service"]
  readonly writer: Writer["Service"]
  readonly networks: Networks["Service"]
  readonly currencies: CurrencyTable
}

/** What an operator knows of an operation. */
export interface GivenEvidence {
  readonly note: string
  readonly txHash: string | null
  readonly by: string
}

const unreadable = (reason: string): Proof => ({ verdict: "UNREADABLE", reason })

/** What the chain says of a transaction that is said to have paid a withdrawal: all of it, to its destination. */
export const prove = (
  { currencies, networks }: Pick<EvidencePorts, "currencies" | "networks">,
  operation: Operation,
  txHash: string
): Effect.Effect<Proof> => {
  const { amount, network } = operation
  const destination = acceptedDestination(operation)
  const asset = currencies.byCode(amount.currency)?.asset
  const sender = network === null ? undefined : networks.get(network)?.sender
  if (destination === undefined || asset === undefined || asset === null)
    return Effect.succeed(unreadable("the operation does not say where it goes"))
  if (sender === undefined) return Effect.succeed(unreadable(`${network} cannot be read here`))
  return sender.prove({
    txHash,
    contract: asset.contract,
    units: amount.units,
    to: destination.address,
    senders: [],
    memo: destination.memo
  })
}

const ofPayout = Effect.fnUntraced(function* (
  { queries, writer }: EvidencePorts,
  { id, tenantId }: Operation,
  { by, note, txHash }: GivenEvidence
): Effect.fn.Return<void, ApiError> {
  yield* submitPrepared(
    writer,
    tenantId,
    Effect.fnUntraced(function* () {
      const payout = yield* orUnavailable(queries.record(tenantId, Payout, id))
      if (payout === undefined) return yield* apiError("not_found")
      const { network } = payout
      const before = yield* orUnavailable(givenBefore(queries, tenantId, { network, payout, txHash }))
      return attachEvidence({ payout, txHash, note, by, before })
    })
  )
})

/**
 * Refuses a transaction that is known as another operation's: one of any tenant that it has paid as it would have paid this one, and, where the chain
 * is to prove it, any of the tenant's. A provider may pay several receivers at once. What our own wallets have sent pays no withdrawal.
 */
export const refuseAnothers = Effect.fnUntraced(function* (
  { networks, queries }: Pick<EvidencePorts, "networks" | "queries">,
  operation: Operation,
  txHash: string,
  basis: ResolutionBasis
): Effect.fn.Return<void, ApiError> {
  const { id, network, tenantId } = operation
  const partOf = network === null ? undefined : networks.get(network)?.partOf
  const all = yield* orUnavailable(queries.operations({ txHash, order: "oldest", limit: 1_000 }))
  const other = all.find(
    (one) =>
      one.id !== id &&
      ((basis === "CHAIN" && one.tenantId === tenantId) ||
        one.kind === "CHAIN_PAYOUT" ||
        isSamePayment(one, operation, txHash, partOf))
  )
  if (other !== undefined)
    return yield* apiError("state_conflict", { message: `That transaction belongs to operation ${other.id}.` })
})

/** Stores what an operator knows of an operation of any kind, with what the chain says of a transaction. */
export const giveEvidence = Effect.fnUntraced(function* (
  ports: EvidencePorts,
  operation: Operation,
  { by, note, txHash: given }: GivenEvidence
): Effect.fn.Return<void, ApiError> {
  const { kind, network, tenantId } = operation
  if (given !== null && kind !== "CHAIN_PAYOUT" && kind !== "WITHDRAWAL")
    return yield* invalidField("tx_hash", `No transaction of a network makes a ${kind}.`)
  const { networks } = ports.currencies
  const hash = given === null || network === null ? null : canonicalHash(yield* networkTraits(networks, network), given)
  if (hash === undefined) return yield* invalidField("tx_hash", "Expected 32 bytes in hexadecimal.")
  if (kind === "CHAIN_PAYOUT") return yield* ofPayout(ports, operation, { by, note, txHash: hash })
  if (hash !== null) yield* refuseAnothers(ports, operation, hash, "CHAIN")
  const transaction = hash === null ? null : { hash, proof: yield* prove(ports, operation, hash) }
  const before =
    network === null ? notGiven : yield* orUnavailable(givenBefore(ports.queries, tenantId, { network, txHash: hash }))
  yield* submit(ports.writer, tenantId, noteEvidence({ operation, note, by, transaction, before }))
})
