import type { Operation } from "@bursar/core/operation/Operation"
import { purposes, signingConditions } from "@bursar/core/purposes"
import { leavingConditions } from "@bursar/core/payout/mayPayoutLeave"
import type { Objection } from "@bursar/core/operation/waits"
import { type Asked, beginSigning, endSigning } from "@bursar/core/transaction/beingSigned"
import type { SigningConditions } from "@bursar/core/transaction/PurposeRule"
import type { UnsignedTransaction } from "@bursar/core/port/ChainSender"
import { SigningRefused, TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { Effect } from "effect"
import { sweepsOf } from "./sweepKeys.ts"
import { keysOf } from "./keysOf.ts"
import { knownHashes } from "./knownHashes.ts"
import { requestsFor } from "@bursar/core/payout/requestsFor"
import { judgingFirst, MayNotLeave } from "./objectionTo.ts"
import type { OwnedTransaction, Send } from "./Send.ts"
import { storeSigned } from "./storeSigned.ts"
import { submitSend } from "./submitSend.ts"

/** What has to hold before the signer is asked: of payouts, that they may leave by all that is known. */
const askedOf = Effect.fnUntraced(function* (
  send: Send,
  owned: OwnedTransaction,
  { conditions, operations }: { readonly conditions: SigningConditions; readonly operations: ReadonlyArray<Operation> }
) {
  if (owned.transaction.purpose === "PAYOUT" && operations.length > 0)
    return leavingConditions(operations, send.traits, yield* judgingFirst(send, owned, operations))
  const { objection, reads } = conditions
  const asked: Asked<string> = { reads, objection }
  return owned.transaction.purpose === "PAYOUT" ? undefined : asked
})

/** Notes that the signer is asked. Null where the outbound transaction has moved on. */
const begun = Effect.fnUntraced(function* (
  send: Send,
  owned: OwnedTransaction,
  { conditions, operations }: { readonly conditions: SigningConditions; readonly operations: ReadonlyArray<Operation> }
) {
  const { tenantId, transaction } = owned
  const asked = yield* askedOf(send, owned, { conditions, operations })
  const signing = yield* submitSend(
    send,
    tenantId,
    beginSigning<Objection | string>({
      transaction,
      pays: operations.map(({ id }) => id),
      purposes,
      ...(asked && { conditions: asked })
    })
  )
  if (signing === null) return null
  if (signing._tag === "Objected") {
    const { objection } = signing
    return typeof objection === "string"
      ? yield* new SigningRefused({ network: transaction.network, reason: objection })
      : yield* new MayNotLeave({ objection })
  }
  const { earlier, until } = signing
  return { earlier, until }
})

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
  const pays = operations.map(({ id }) => id)
  const keys = yield* keysOf(send, owned)
  const known = yield* knownHashes(send, owned, operations)
  // what replaces an attempt can only end by the chain, whoever cancels it: nothing is begun
  const signing = replaces === null ? yield* begun(send, owned, { conditions, operations }) : undefined
  if (signing === null) return null
  const asked = signer.sign({
    tenantId,
    network: transaction.network,
    unsigned: unsigned.bytes,
    signers: keys,
    own: keys,
    requests: requestsFor(operations),
    known,
    ...(signing && { until: signing.until })
  })
  // a refusal is an answer: nothing is signed. Where none came, that is not known.
  const { hash, raw } = yield* signing === undefined
    ? asked
    : Effect.tapErrorTag(asked, "SigningRefused", () =>
        submitSend(send, tenantId, endSigning({ transaction, ...signing, purposes }))
      )
  const { feeMax, validUntil } = unsigned
  return yield* storeSigned(send, tenantId, {
    transaction,
    hash,
    raw,
    validUntil,
    feeMax,
    pays,
    replaces,
    conditions,
    purposes
  })
})
