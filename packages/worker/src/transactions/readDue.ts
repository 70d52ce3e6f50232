import { payoutQueue } from "@bursar/core/payout/payoutQueue"
import { transactionQueue } from "@bursar/core/transaction/queues"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { Queries } from "@bursar/core/store/Queries"
import type { StorageError } from "@bursar/core/engine/StorageError"
import { Clock, Effect } from "effect"
import { apart, unlessStorageFails } from "../queue/apart.ts"
import type { OwnedPayout, OwnedTransaction, Send } from "./Send.ts"
import { Payout } from "@bursar/core/payout/Payout"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"

/** What is to be looked at now. */
export interface Due {
  readonly payouts: ReadonlyArray<OwnedPayout>
  readonly transactions: ReadonlyArray<OwnedTransaction>
}

/** Those that were there first go first; numbers of an account in their order, so that nodes take them as they come. */
const byAge = ({ transaction: one }: OwnedTransaction, { transaction: other }: OwnedTransaction): number => {
  const [left, right] = [one.guard, other.guard]
  return left._tag === "Sequence" && right._tag === "Sequence" && left.account === right.account
    ? left.sequence < right.sequence
      ? -1
      : 1
    : one.reservedAt - other.reservedAt
}

/** What the payouts of a tenant are under way by, while they are put into outbound transactions; an outbound transaction is by its id. */
export const reservingKey = (tenantId: TenantId): string => `payouts of ${tenantId}`

/** What the accounts of a tenant are under way by, while they are provisioned. */
export const provisioningKey = (tenantId: TenantId): string => `accounts of ${tenantId}`

/** What is under way while it is asked which numbers of a tenant can be given back. */
export const releasingKey = (tenantId: TenantId): string => `numbers of ${tenantId}`

/** Reads something of one of many; undefined where it cannot be read, which is told. */
const read = <A>(about: Readonly<Record<string, string>>, reading: Effect.Effect<A, StorageError>) =>
  apart(about, unlessStorageFails({ ...about, part: "read" }, reading))

/** Reads what is due on the network's queue and not under way, of all tenants, as it is stored now. What cannot be read is told and left out. */
export const readDue = Effect.fn("send.readDue")(function* (
  { limits, sender }: Send,
  isUnderWay: (key: string) => boolean
) {
  const queries = yield* Queries
  const jobQueue = yield* JobQueue
  const now = yield* Clock.currentTimeMillis
  const { itemsPerPassMax, readsAtOnce: concurrency } = limits
  const waiting = yield* jobQueue.due(payoutQueue(sender.network), now, itemsPerPassMax)
  const sent = yield* jobQueue.due(transactionQueue(sender.network), now, itemsPerPassMax)
  const payouts = yield* Effect.forEach(
    waiting.filter(({ tenantId }) => !isUnderWay(reservingKey(tenantId))),
    ({ key, tenantId }) =>
      Effect.map(read({ tenant: tenantId, payout: key }, queries.record(tenantId, Payout, key)), (payout) =>
        payout === undefined ? [] : [{ tenantId, payout }]
      ),
    { concurrency }
  )
  const transactions = yield* Effect.forEach(
    sent.filter(({ key }) => !isUnderWay(key)),
    ({ key, tenantId }) =>
      Effect.map(
        read({ tenant: tenantId, transaction: key }, queries.record(tenantId, OutboundTransaction, key)),
        (transaction) => (transaction === undefined ? [] : [{ tenantId, transaction }])
      ),
    { concurrency }
  )
  return { payouts: payouts.flat(), transactions: transactions.flat() } satisfies Due
})

/** Spends in the order in which they are best worked on. */
export const inOrder = (transactions: ReadonlyArray<OwnedTransaction>): ReadonlyArray<OwnedTransaction> =>
  transactions.toSorted(byAge)
