import { type Ruling, rulingOf } from "@bursar/core/grant/Ruling"
import { lookAtPrices, unreviewed, type Valued } from "@bursar/core/leaving/unreviewed"
import type { Operation } from "@bursar/core/operation/Operation"
import type { Objection } from "@bursar/core/operation/waits"
import { askLeaving } from "@bursar/core/payout/mayPayoutLeave"
import { askPaidBefore, hashesGiven } from "@bursar/core/payout/standingEvidence"
import { paysOthers } from "@bursar/core/payout/paymentsOf"
import { requestsFor } from "@bursar/core/payout/requestsFor"
import { TransactionSigner } from "@bursar/core/port/TransactionSigner"
import { Queries } from "@bursar/core/store/Queries"
import { Clock, Data, Effect, Result } from "effect"
import { tellUnreviewed } from "../queue/tellUnreviewed.ts"
import type { OwnedTransaction, Send } from "./Send.ts"
import { submitSend } from "./submitSend.ts"

/** What what is about to be signed is judged by. */
export interface Judging {
  readonly ruling: Ruling
  readonly valued: Valued
}

const judgingOf = Effect.fnUntraced(function* (
  { currencies }: Send,
  { tenantId }: OwnedTransaction,
  operations: ReadonlyArray<Operation>
) {
  const ruling = yield* rulingOf(tenantId)
  const valued = yield* lookAtPrices(ruling, currencies, operations)
  return { ruling, valued } satisfies Judging
})

/**
 * Why people have to approve what is about to be signed, by the very records that it is built and signed from: those in the database may have been
 * changed meanwhile, or changed back.
 */
const unapproved = Effect.fnUntraced(function* (
  { currencies }: Send,
  { transaction }: OwnedTransaction,
  operations: ReadonlyArray<Operation>,
  { ruling, valued }: Judging
) {
  if (ruling === undefined) return undefined
  const now = yield* Clock.currentTimeMillis
  const others = paysOthers(transaction, operations, currencies)
  return others ?? operations.flatMap((operation) => unreviewed(operation, { ruling, valued, now }) ?? []).at(0)
})

/** Why one of the payouts of a transaction may not leave now; undefined where all may. */
export const objectionTo = Effect.fn("send.objectionTo")(function* (
  send: Send,
  owned: OwnedTransaction,
  operations: ReadonlyArray<Operation>
) {
  if (operations.length === 0) return undefined
  const judging = yield* judgingOf(send, owned, operations)
  const objections = yield* submitSend(send, owned.tenantId, askLeaving(operations, send.traits, judging))
  return objections?.values().next().value ?? (yield* unapproved(send, owned, operations, judging))
})

/** The transactions that operators gave as evidence for some payouts. */
export const givenFor = Effect.fnUntraced(function* (
  { tenantId }: OwnedTransaction,
  operations: ReadonlyArray<Pick<Operation, "id">>
) {
  const queries = yield* Queries
  // together they are one question to the database, however many a transaction pays
  const given = yield* Effect.forEach(operations, ({ id }) => hashesGiven(queries, tenantId, id), {
    concurrency: "unbounded"
  })
  return given.flat()
})

/** Why one of the payouts of a transaction of which nothing is sent does not leave by it: evidence says that it may be paid. Undefined for none. */
export const evidenceAgainst = Effect.fnUntraced(function* (
  send: Send,
  owned: OwnedTransaction,
  operations: ReadonlyArray<Pick<Operation, "id">>
) {
  const given = yield* givenFor(owned, operations)
  if (given.length === 0) return undefined
  const ids = operations.map(({ id }) => id)
  return (yield* submitSend(send, owned.tenantId, askPaidBefore(owned.transaction.network, ids, given))) ?? undefined
})

/** The payouts of a first attempt may not leave now. */
export class MayNotLeave extends Data.TaggedError("MayNotLeave")<{ readonly objection: Objection }> {
  override get message(): string {
    return this.objection.detail
  }
}

/**
 * What a first attempt is judged by, in the very commit that begins its signing. Fails where people have to approve it: then the rows are asked
 * too, which may say more.
 */
export const judgingFirst = Effect.fn("send.judgingFirst")(function* (
  send: Send,
  owned: OwnedTransaction,
  operations: ReadonlyArray<Operation>
) {
  const judging = yield* judgingOf(send, owned, operations)
  const objection = yield* unapproved(send, owned, operations, judging)
  if (objection === undefined) return { ...judging, given: yield* givenFor(owned, operations) }
  return yield* new MayNotLeave({ objection: (yield* objectionTo(send, owned, operations)) ?? objection })
})

/** Those of some payouts that the signer has never signed for: its memory is no row, and what it has signed for has left. */
const neverSigned = Effect.fnUntraced(function* (
  { transaction: { network }, tenantId }: OwnedTransaction,
  operations: ReadonlyArray<Operation>
) {
  const signer = yield* TransactionSigner
  const guard = { _tag: "Expiry" } as const // no guard of its own: only what shares the request is looked for
  return yield* Effect.filter(operations, (operation) =>
    Effect.map(
      signer.signed({ tenantId, network, guard, requests: requestsFor([operation]) }),
      (earlier) => earlier.length === 0
    )
  )
})

/**
 * Why a replacement may not be signed, where grants decide: what is said to have been sent, and was never signed for, leaves for the first time.
 * What was signed for before was judged then, and a price that rose since is no reason to leave it stuck.
 */
export const objectionToReplacement = Effect.fn("send.objectionToReplacement")(function* (
  send: Send,
  owned: OwnedTransaction,
  operations: ReadonlyArray<Operation>
) {
  if (operations.length === 0) return undefined
  const judging = yield* judgingOf(send, owned, operations)
  if (judging.ruling === undefined) return undefined
  const fresh = yield* Effect.result(neverSigned(owned, operations))
  if (Result.isFailure(fresh)) {
    const { failure } = fresh
    if (failure._tag !== "VaultError") return yield* failure
    return { reason: "not_granted", detail: failure.message } satisfies Objection as Objection
  }
  const [first] = fresh.success
  const objection = first && (yield* unapproved(send, owned, operations, judging))
  if (first !== undefined && objection !== undefined)
    yield* tellUnreviewed({ tenantId: owned.tenantId, operationId: first.id, kind: first.kind }, objection)
  return objection
})
