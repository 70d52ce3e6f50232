import { sendTopic, spendTopic } from "@bursar/core/outbound/sendTopic"
import { Agendas } from "@bursar/core/port/Agendas"
import { Queries } from "@bursar/core/port/Queries"
import { Clock, Effect } from "effect"
import { failpoint } from "./Failpoint.ts"
import type { OwnedPayout, OwnedSpend, Send } from "./Send.ts"

/** What is to be looked at now. */
export interface Due {
  readonly payouts: ReadonlyArray<OwnedPayout>
  readonly spends: ReadonlyArray<OwnedSpend>
}

/** Those that were there first go first; numbers of an account in their order, so that nodes take them as they come. */
const byAge = ({ spend: one }: OwnedSpend, { spend: other }: OwnedSpend): number => {
  const [left, right] = [one.token, other.token]
  return left._tag === "Sequence" && right._tag === "Sequence" && left.account === right.account
    ? left.number < right.number
      ? -1
      : 1
    : one.reservedAt - other.reservedAt
}

/** Reads what is due on the network's agenda, of all tenants, as it is stored now. */
export const readDue = Effect.fn("send.readDue")(function* ({ limits, sender }: Send) {
  const queries = yield* Queries
  const agendas = yield* Agendas
  const now = yield* Clock.currentTimeMillis
  const { itemsPerPassMax, readsAtOnce: concurrency } = limits
  const waiting = yield* agendas.due(sendTopic(sender.network), now, itemsPerPassMax)
  const underWay = yield* agendas.due(spendTopic(sender.network), now, itemsPerPassMax)
  const payouts = yield* Effect.forEach(
    waiting,
    ({ key, tenantId }) =>
      Effect.map(queries.record(tenantId, "Payout", key), (payout) =>
        payout === undefined ? [] : [{ tenantId, payout }]
      ),
    { concurrency }
  )
  const spends = yield* Effect.forEach(
    underWay,
    ({ key, tenantId }) =>
      Effect.map(queries.record(tenantId, "Spend", key), (spend) => (spend === undefined ? [] : [{ tenantId, spend }])),
    { concurrency }
  )
  yield* failpoint("agenda.read")
  return { payouts: payouts.flat(), spends: inOrder(spends.flat()) } satisfies Due
})

/** Spends in the order in which they are best worked on. */
export const inOrder = (spends: ReadonlyArray<OwnedSpend>): ReadonlyArray<OwnedSpend> => spends.toSorted(byAge)
