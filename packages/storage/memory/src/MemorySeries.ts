import { Deposit } from "@bursar/core/deposit/Deposit"
import { Operation } from "@bursar/core/operation/Operation"
import { Series, type SeriesQuery, type Steps } from "@bursar/core/store/Series"
import { Effect, Layer } from "effect"
import { recordsOf, type State, Store, type TenantRecords } from "./Store.ts"

const tenantsOf = (state: State, { tenantId }: SeriesQuery): ReadonlyArray<TenantRecords> =>
  [...state.tenants].flatMap(([id, tenant]) => (tenantId === undefined || id === tenantId ? [tenant] : []))

const isWithin = (at: number, { from, until }: Steps): boolean => at >= from && at < until

const stepOf = (at: number, { from, stepMs }: Steps): number => from + Math.floor((at - from) / stepMs) * stepMs

/** What is gathered under a text, in the order of the texts. */
const gathered = <A>(all: ReadonlyArray<A>, keyOf: (one: A) => string): ReadonlyArray<ReadonlyArray<A>> =>
  [...Map.groupBy(all, keyOf)].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group)

/** Between the two nearest, as PostgreSQL does it. */
const percentile = (sorted: ReadonlyArray<number>, share: number): number => {
  const place = share * (sorted.length - 1)
  const [low = 0, high = 0] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
  return Math.round(low + (high - low) * (place - Math.floor(place)))
}

const durations = (times: ReadonlyArray<number>) => {
  const sorted = times.toSorted((one, other) => one - other)
  return { count: times.length, medianMs: percentile(sorted, 0.5), p95Ms: percentile(sorted, 0.95) }
}

const operationsOf = (state: State, query: SeriesQuery): ReadonlyArray<Operation> =>
  tenantsOf(state, query)
    .flatMap((tenant) => [...recordsOf(tenant, Operation).values()])
    .filter(({ createdAt }) => isWithin(createdAt, query))

const sum = (units: ReadonlyArray<bigint>): bigint => units.reduce((total, one) => total + one, 0n)

const floats: ReadonlySet<string> = new Set(["float:available", "float:held"])

/** What happened over time, in memory. */
export const layer = Layer.effect(
  Series,
  Effect.map(Store, (state) =>
    Series.of({
      volume: (query) =>
        Effect.sync(() =>
          gathered(operationsOf(state, query), ({ amount, createdAt, kind, status }) =>
            [stepOf(createdAt, query), kind, status, amount.currency].join("|")
          ).flatMap((group) =>
            group.slice(0, 1).map(({ amount: { currency }, createdAt, kind, status }) => ({
              at: stepOf(createdAt, query),
              kind,
              status,
              amount: { units: sum(group.map(({ amount }) => amount.units)), currency },
              count: group.length
            }))
          )
        ),
      settlement: (query) =>
        Effect.sync(() =>
          gathered(
            operationsOf(state, query).filter(({ settledAt }) => settledAt !== null),
            ({ createdAt, kind }) => `${stepOf(createdAt, query)}|${kind}`
          ).flatMap((group) =>
            group.slice(0, 1).map(({ createdAt, kind }) => ({
              at: stepOf(createdAt, query),
              kind,
              ...durations(group.map((one) => (one.settledAt ?? one.createdAt) - one.createdAt))
            }))
          )
        ),
      confirmation: (query) =>
        Effect.sync(() =>
          gathered(
            tenantsOf(state, query)
              .flatMap((tenant) => [...recordsOf(tenant, Deposit).values()])
              .filter(
                ({ confirmedAt, detectedAt, historical }) =>
                  confirmedAt !== null && !historical && isWithin(detectedAt, query)
              ),
            ({ detectedAt, network }) => `${stepOf(detectedAt, query)}|${network}`
          ).flatMap((group) =>
            group.slice(0, 1).map(({ detectedAt, network }) => ({
              at: stepOf(detectedAt, query),
              network,
              ...durations(group.map((one) => (one.confirmedAt ?? one.detectedAt) - one.detectedAt))
            }))
          )
        ),
      fees: (query) =>
        Effect.sync(() =>
          gathered(
            operationsOf(state, query).flatMap(({ createdAt, network, networkFee }) =>
              network === null || networkFee === null ? [] : [{ at: stepOf(createdAt, query), network, networkFee }]
            ),
            ({ at, network, networkFee }) => [at, network, networkFee.currency].join("|")
          ).flatMap((group) =>
            group.slice(0, 1).map(({ at, network, networkFee: { currency } }) => ({
              at,
              network,
              fee: { units: sum(group.map(({ networkFee }) => networkFee.units)), currency },
              count: group.length
            }))
          )
        ),
      balances: (tenantId, steps) =>
        Effect.sync(() => {
          const legs = (state.tenants.get(tenantId)?.legs ?? []).filter(({ account }) => floats.has(account))
          const currencies = [...new Set(legs.map(({ currency }) => currency))].toSorted()
          const starts = Array.from(
            { length: Math.ceil((steps.until - steps.from) / steps.stepMs) },
            (_, index) => steps.from + index * steps.stepMs
          )
          return starts.flatMap((at) =>
            currencies.map((currency) => {
              const before = legs.filter((leg) => leg.currency === currency && leg.postedAt < at + steps.stepMs)
              const last = [...floats].map(
                (account) => before.findLast((leg) => leg.account === account)?.balance ?? 0n
              )
              return { at, balance: { units: sum(last), currency } }
            })
          )
        }),
      lag: (steps) =>
        Effect.sync(() =>
          gathered(
            [...state.networkLags].flatMap(([network, lags]) =>
              [...lags].flatMap(([minute, blocks]) =>
                isWithin(minute, steps) ? [{ at: stepOf(minute, steps), network, blocks }] : []
              )
            ),
            ({ at, network }) => `${at}|${network}`
          ).flatMap((group) =>
            group.slice(0, 1).map(({ at, network }) => ({
              at,
              network,
              blocks: Math.max(...group.map(({ blocks }) => blocks))
            }))
          )
        )
    })
  )
)
