import type { Operation } from "@bursar/core/operation/Operation"
import type { Objection } from "@bursar/core/operation/waits"
import { payoutConditions } from "@bursar/core/payout/payoutRule"
import { signedUnstored } from "@bursar/core/payout/signedUnstored"
import { purposes } from "@bursar/core/purposes"
import type { EarlierSignature } from "@bursar/core/port/TransactionSigner"
import { Queries } from "@bursar/core/store/Queries"
import type { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { type SigningConditions, unconditional } from "@bursar/core/transaction/PurposeRule"
import { DepositAddress } from "@bursar/core/address/DepositAddress"
import type { Sweep } from "@bursar/core/sweep/Sweep"
import { unheldConditions } from "@bursar/core/sweep/sweepObjection"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { sweepsOf } from "./sweepKeys.ts"
import type { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import { Effect } from "effect"
import { movesAsOrdered } from "./movesAsOrdered.ts"
import { objectionTo } from "./objectionTo.ts"
import { orderOf } from "./orderOf.ts"
import { requestsFor } from "@bursar/core/payout/requestsFor"
import type { OwnedTransaction, Send } from "./Send.ts"
import { storeSigned } from "./storeSigned.ts"

/** What the signer has signed for an outbound transaction that is not stored here. */
export type Recovered =
  /** Nothing: it is certain that it can be given up where nothing is stored. */
  | { readonly _tag: "Nothing" }
  /** It is stored now; this is the newest. */
  | { readonly _tag: "Stored"; readonly newest: TransactionAttempt }
  /** The outbound transaction has moved on. */
  | { readonly _tag: "Stale" }
  /** It is not stored, because the payouts may not leave now, or an address is held: it is neither sent nor given up until that is over. */
  | { readonly _tag: "Kept"; readonly hashes: ReadonlyArray<string>; readonly objection: Pick<Objection, "detail"> }
  /**
   * Something else: its guard was used for it alone (`guard`), it may pay one of its payouts (`requests`), or it is its own (`same`) and what
   * it was for was given up since, and it moves that, or it was signed after another one had expired. `hashes` are all that are not stored here, `answering` those of them that do more than use its guard up; `isGuardSigned` says whether one of the others uses up its guard.
   */
  | {
      readonly _tag: "Other"
      readonly by: EarlierSignature
      readonly hashes: ReadonlyArray<string>
      readonly answering: ReadonlyArray<string>
      readonly isGuardSigned: boolean
    }

/** The address of some sweeps that is held, in words. */
const heldBy = Effect.fnUntraced(function* (tenantId: TenantId, sweeps: ReadonlyArray<Sweep>) {
  const queries = yield* Queries
  for (const { address, addressId } of sweeps) {
    const { sweepHold = null } = (yield* queries.record(tenantId, DepositAddress, addressId)) ?? {}
    if (sweepHold !== null) return { detail: `The address ${address} is held.` }
  }
  return undefined
})

/** What has to hold for what was signed to be stored as a first attempt. */
const conditionsOf = (
  { traits }: Send,
  { transaction: { purpose } }: OwnedTransaction,
  { operations, sweeps }: { readonly operations: ReadonlyArray<Operation>; readonly sweeps: ReadonlyArray<Sweep> }
): SigningConditions => {
  if (purpose === "PAYOUT") return payoutConditions(operations, traits)
  return purpose === "SWEEP" ? unheldConditions(sweeps) : unconditional(purpose)
}

/** Whether something that was signed moves what an outbound transaction moves now: nothing, where that was given up. */
const movesAs = ({ sender }: Send, transaction: OutboundTransaction, { moves }: EarlierSignature): boolean =>
  moves !== undefined && movesAsOrdered(orderOf(sender, transaction, 0, null), moves)

/**
 * What the signer has signed, as it stands to a transaction that answers to no request: nothing but what it moves tells it from something else that
 * used the same guard, such as a sweep of fewer deposits before the database was restored.
 */
const withoutRequests = (
  send: Send,
  { transaction }: OwnedTransaction,
  signature: EarlierSignature
): EarlierSignature => {
  const movesIts = [transaction, { ...transaction, givenUpAfter: null }].some((one) => movesAs(send, one, signature))
  return signature.shares !== "same" || movesIts ? signature : { ...signature, shares: "guard" }
}

/** What the signer has signed that concerns an outbound transaction as far as it pays some operations, and that is not stored, oldest first. */
export const lostFor = Effect.fnUntraced(function* (
  send: Send,
  owned: OwnedTransaction,
  operations: ReadonlyArray<Operation>
) {
  const { tenantId, transaction } = owned
  const { guard, network } = transaction
  const unstored = yield* signedUnstored({ tenantId, network, guard, requests: requestsFor(operations) })
  return operations.length > 0 ? unstored : unstored.map((one) => withoutRequests(send, owned, one))
})

const isOwn = ({ shares }: EarlierSignature): boolean => shares === "same"

/** The hashes of what the signer has signed for an outbound transaction to pay just some operations, and that is not stored. */
export const ownLost = (send: Send, owned: OwnedTransaction, operations: ReadonlyArray<Operation>) =>
  Effect.map(lostFor(send, owned, operations), (lost) => lost.filter(isOwn).map(({ hash }) => hash))

/**
 * Takes over what the signer has signed for an outbound transaction and the service has lost, by a crash or because its database was restored.
 * The same bytes are stored, oldest first, as if the answer had come, and go on. Nobody has seen them, as a rule: a first one is taken over only while
 * its payouts may leave, as when it is signed. `isUsedUp` says that its guard is used up on the chain, by one of them as may be: then nothing leaves by
 * storing them, and what they have paid must be known whatever stands against it by now.
 * `operations` are those that it pays: what was signed for just these is its own. `besides` are the hashes of what is its own too, and pays more or less.
 * Fails with `VaultError` where the signer cannot tell: then nothing may be given up.
 */
export const recoverSigned = Effect.fn("send.recoverSigned")(function* (
  send: Send,
  owned: OwnedTransaction,
  operations: ReadonlyArray<Operation>,
  isUsedUp = false,
  besides: ReadonlyArray<string> = []
) {
  const { tenantId, transaction } = owned
  const { guard, hashes, id } = transaction
  const lost = yield* lostFor(send, owned, operations)
  const hashesOf = (all: ReadonlyArray<EarlierSignature>) => all.map(({ hash }) => hash)
  const own = lost.filter(isOwn)
  const others = lost.filter((one) => !isOwn(one) && !besides.includes(one.hash))
  // nothing is replaced where there is nothing but an expiry: what was signed after the first one has expired cannot be stored beside it
  const second = guard._tag === "Expiry" && hashes.length > 0 ? own[0] : undefined
  // what may have paid one of its payouts comes before what only uses up its guard
  const by = second ?? others.find(({ shares }) => shares === "requests") ?? others[0]
  const answering = hashesOf(lost.filter(({ shares }) => shares !== "guard"))
  const isGuardSigned = others.some(({ guardToo, shares }) => shares === "guard" || guardToo === true)
  // where the guard is used up, what is its own may have done so: it is followed first, unless payouts need evidence in any case
  const isOwnFirst = isUsedUp && operations.length === 0 && own.length > 0
  if (by !== undefined && !isOwnFirst)
    return { _tag: "Other", by, hashes: hashesOf(lost), answering, isGuardSigned } satisfies Recovered as Recovered
  const [first] = own
  // whether it still moves what was given up, or only uses up the guard, decides what is booked: where that is not known a person has to look
  const isIdle = (one: EarlierSignature) => guard._tag !== "Utxos" && movesAs(send, transaction, one)
  const moving = transaction.givenUpAfter === null ? undefined : own.find((one) => !isIdle(one))
  if (moving !== undefined)
    return {
      _tag: "Other",
      by: moving,
      hashes: hashesOf(lost),
      answering,
      isGuardSigned
    } satisfies Recovered as Recovered
  const isFirst = hashes.length === 0 && !isUsedUp
  const sweeps = first !== undefined && isFirst && transaction.purpose === "SWEEP" ? yield* sweepsOf(owned) : []
  const objection =
    first && isFirst ? ((yield* objectionTo(send, owned, operations)) ?? (yield* heldBy(tenantId, sweeps))) : undefined
  if (first !== undefined && objection !== undefined)
    return { _tag: "Kept", hashes: hashesOf(own), objection } satisfies Recovered as Recovered
  const conditions = isUsedUp ? unconditional(transaction.purpose) : conditionsOf(send, owned, { operations, sweeps })
  let newest: TransactionAttempt | undefined
  for (const { feeMax, hash, raw, validUntil } of own) {
    const attempt: TransactionAttempt | null = yield* storeSigned(send, tenantId, {
      transaction,
      hash,
      raw,
      validUntil,
      feeMax: feeMax ?? transaction.feeMax,
      pays: operations.map(({ id: of }) => of),
      replaces: newest?.hash ?? hashes.at(-1) ?? null,
      isLost: true,
      conditions,
      purposes
    })
    if (attempt === null) return { _tag: "Stale" } satisfies Recovered as Recovered
    newest = attempt
    yield* Effect.logWarning("transaction.signature_recovered").pipe(
      Effect.annotateLogs({ tenant: tenantId, transaction: id, txHash: hash })
    )
  }
  const recovered: Recovered = newest === undefined ? { _tag: "Nothing" } : { _tag: "Stored", newest }
  return recovered
})
