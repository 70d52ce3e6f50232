import { balanceKey } from "@bursar/core/ledger/Account"
import type { Balance, PostedLeg } from "@bursar/core/ledger/Leg"
import { Operation } from "@bursar/core/operation/Operation"
import { Journal, type JournalEntry, type JournalFilter, type JournalSubject } from "@bursar/core/store/Journal"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { Effect, Layer, Stream } from "effect"
import { compareText } from "./byAge.ts"
import { recordsOf, Store, type TenantRecords } from "./Store.ts"

const subjectOf = (tenant: TenantRecords, id: string): JournalSubject => {
  const operation = recordsOf(tenant, Operation).get(id)
  const transaction = recordsOf(tenant, OutboundTransaction).get(id)
  return {
    id,
    kind: operation?.kind ?? transaction?.purpose ?? null,
    network: operation?.network ?? transaction?.network ?? null,
    partnerReference: operation?.partnerReference ?? null,
    txHash: operation?.txHash ?? null
  }
}

const isWanted = ({ accounts, currency }: JournalFilter, leg: PostedLeg): boolean =>
  (accounts === undefined || accounts.includes(leg.account)) && (currency === undefined || currency === leg.currency)

const entriesOf = (tenant: TenantRecords, legs: ReadonlyArray<PostedLeg>): ReadonlyArray<JournalEntry> =>
  [...Map.groupBy(legs, ({ postingSeq }) => postingSeq)].flatMap(([posting, own]) => {
    const [first] = own
    return first === undefined
      ? []
      : [{ posting, postedAt: first.postedAt, subject: subjectOf(tenant, first.operationId), legs: own }]
  })

const balancesOf = (legs: ReadonlyArray<PostedLeg>): ReadonlyArray<Balance> => {
  const last = new Map<string, Balance>()
  for (const { account, balance, currency, version } of legs)
    last.set(balanceKey(account, currency), { account, currency, units: balance, version })
  return [...last.values()].toSorted(
    (left, right) => compareText(left.account, right.account) || compareText(left.currency, right.currency)
  )
}

/** A tenant's books in the order in which they were written. */
export const layer = Layer.effect(
  Journal,
  Effect.map(Store, (state) => {
    const legsOf = (tenantId: TenantId): ReadonlyArray<PostedLeg> => state.tenants.get(tenantId)?.legs ?? []
    return Journal.of({
      lastPosting: (tenantId) => Effect.sync(() => state.tenants.get(tenantId)?.head.postingSeq ?? 0),
      lastBefore: (tenantId, moment, after) =>
        Effect.sync(() =>
          legsOf(tenantId)
            .filter(({ postedAt, postingSeq }) => postingSeq > after && postedAt < moment)
            .reduce((last, { postingSeq }) => Math.max(last, postingSeq), after)
        ),
      firstAfter: (tenantId, after) =>
        Effect.sync(() => legsOf(tenantId).find(({ postingSeq }) => postingSeq > after)?.postedAt),
      balancesAt: (tenantId, posting) =>
        Effect.sync(() => balancesOf(legsOf(tenantId).filter(({ postingSeq }) => postingSeq <= posting))),
      entries: (tenantId, { after, through }, filter = {}) =>
        Stream.suspend(() => {
          const tenant = state.tenants.get(tenantId)
          if (tenant === undefined) return Stream.empty
          const legs = tenant.legs.filter(
            (leg) => leg.postingSeq > after && leg.postingSeq <= through && isWanted(filter, leg)
          )
          return Stream.fromIterable(entriesOf(tenant, legs))
        })
    })
  })
)
