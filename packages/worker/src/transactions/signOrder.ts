import type { Operation } from "@bursar/core/operation/Operation"
import { purposes, signingConditions } from "@bursar/core/purposes"
import { askSigning, recordSigned } from "@bursar/core/transaction/recordSigned"
import type { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import type { UnsignedTransaction } from "@bursar/core/port/ChainSender"
import { SigningRefused, TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { Effect } from "effect"
import { sweepsOf } from "./sweepKeys.ts"
import { keysOf } from "./keysOf.ts"
import { knownHashes } from "./knownHashes.ts"
import { requestsFor } from "@bursar/core/payout/requestsFor"
import type { OwnedTransaction, Send } from "./Send.ts"
import { submitSend } from "./submitSend.ts"

/**
 * Has a transaction signed that pays some operations, and stores it with its hash. Only then may anybody see it. Null where the outbound transaction has moved on meanwhile:
 * the bytes are thrown away.
 */
export const signOrder = Effect.fn("send.sign")(function* (
  send: Send,
  owned: OwnedTransaction,
  {
    operations,
    replaces,
    unsigned
  }: {
    readonly operations: ReadonlyArray<Operation>
    readonly unsigned: UnsignedTransaction
    /** The hash of the attempt that it takes the place of, null for a first one. */
    readonly replaces: string | null
  }
) {
  const signer = yield* TransactionSigner
  const { transaction, tenantId } = owned
  const sweeps = replaces === null ? yield* sweepsOf(owned) : []
  const conditions = signingConditions(transaction, { payouts: operations, sweeps, network: send.traits })
  // those of payouts were asked just now; all are asked again when the signature is stored
  const objection =
    transaction.purpose !== "PAYOUT" && replaces === null
      ? yield* submitSend(send, tenantId, askSigning(transaction, { conditions, purposes }))
      : null
  if (objection !== null) return yield* new SigningRefused({ network: transaction.network, reason: objection })
  const keys = yield* keysOf(send, owned)
  const { hash, raw } = yield* signer.sign({
    tenantId,
    network: transaction.network,
    unsigned: unsigned.bytes,
    signers: keys,
    own: keys,
    requests: requestsFor(operations),
    known: yield* knownHashes(owned, operations)
  })
  const { feeMax, validUntil } = unsigned
  const stored: TransactionAttempt | null = yield* submitSend(
    send,
    tenantId,
    recordSigned({
      transaction,
      hash,
      raw,
      validUntil,
      feeMax,
      pays: operations.map(({ id }) => id),
      replaces,
      conditions,
      purposes
    })
  )
  return stored
})
