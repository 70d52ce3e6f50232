import type { ApiError } from "@bursar/api/errors/ApiError"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { type SeriesSpan, seriesSpans } from "@bursar/api/operator/OperatorSeries"
import { toIso } from "@bursar/core/base/Timestamp"
import { Tenants } from "@bursar/core/port/Tenants"
import { type Durations, Series, type SeriesQuery } from "@bursar/core/store/Series"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Cache, Clock, Effect, Semaphore } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { orUnavailable } from "../../../refusals.ts"
import { toldMoney } from "../../../wire/money.ts"
import { findTenant } from "../found.ts"
import { stepsOf, stepsToWire } from "./steps.ts"

/** How many sums are worked out at the same time; others wait. */
const sumsMax = 2

/** How many answers are kept, and for how long. */
const [keptMax, keptFor] = [200, "30 seconds"] as const

const durationsToWire = ({ at, count, medianMs, p95Ms }: Durations) => ({
  at: toIso(at),
  count,
  median_ms: medianMs,
  p95_ms: p95Ms
})

/** The span that a key was made of. */
const spanIn = (text: string): SeriesSpan => seriesSpans.find((span) => span === text) ?? "day"

interface Asked {
  readonly span: SeriesSpan
  readonly tenant_id?: string
}

/** What happened over time. Whoever asks for the same within half a minute gets the same answer, so that many pages cost no more than one. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "series",
  Effect.fnUntraced(function* (handlers) {
    const series = yield* Series
    const tenants = yield* Tenants
    const { currencies } = yield* ServerConfig
    const free = yield* Semaphore.make(sumsMax)

    /** An answer by its span and tenant, kept for a while. */
    const kept = <A>(sum: (query: SeriesQuery) => Effect.Effect<A, ApiError>) =>
      Effect.map(
        Cache.make({
          capacity: keptMax,
          timeToLive: keptFor,
          lookup: (key: string) =>
            Effect.gen(function* () {
              const [span = "", id = ""] = key.split("|")
              const tenantId = id === "" ? undefined : TenantId(id)
              return yield* sum({ ...stepsOf(spanIn(span), yield* Clock.currentTimeMillis), tenantId })
            }).pipe(free.withPermits(1))
        }),
        (cache) =>
          ({ span, tenant_id: id = "" }: Asked) =>
            // what could not be read is read again when it is asked for again
            Effect.tapError(Cache.get(cache, `${span}|${id}`), () => Cache.invalidate(cache, `${span}|${id}`))
      )

    const volume = yield* kept((query) =>
      Effect.gen(function* () {
        const points = yield* orUnavailable(series.volume(query))
        return {
          ...stepsToWire(query),
          points: points.map(({ amount, at, count, kind, status }) => ({
            at: toIso(at),
            kind,
            status,
            amount: toldMoney(currencies, amount.units, amount.currency),
            count
          }))
        }
      })
    )
    const times = yield* kept((query) =>
      Effect.gen(function* () {
        const settlement = yield* orUnavailable(series.settlement(query))
        const confirmation = yield* orUnavailable(series.confirmation(query))
        return {
          ...stepsToWire(query),
          settlement: settlement.map((one) => ({ ...durationsToWire(one), kind: one.kind })),
          confirmation: confirmation.map((one) => ({ ...durationsToWire(one), network: one.network }))
        }
      })
    )
    const networks = yield* kept((query) =>
      Effect.gen(function* () {
        const fees = yield* orUnavailable(series.fees(query))
        const lag = yield* orUnavailable(series.lag(query))
        return {
          ...stepsToWire(query),
          fees: fees.map(({ at, count, fee, network }) => ({
            at: toIso(at),
            network,
            fee: toldMoney(currencies, fee.units, fee.currency),
            count
          })),
          lag: lag.map(({ at, blocks, network }) => ({ at: toIso(at), network, blocks }))
        }
      })
    )
    const balances = yield* kept((query) =>
      Effect.gen(function* () {
        const { id } = yield* findTenant(tenants, query.tenantId ?? "")
        const points = yield* orUnavailable(series.balances(id, query))
        return {
          ...stepsToWire(query),
          points: points.map(({ at, balance }) => ({
            at: toIso(at),
            balance: toldMoney(currencies, balance.units, balance.currency)
          }))
        }
      })
    )
    return handlers.handleAll({
      volume: ({ query }) => volume(query),
      times: ({ query }) => times(query),
      networks: ({ query }) => networks(query),
      balances: ({ params, query }) => balances({ ...query, ...params })
    })
  })
)
