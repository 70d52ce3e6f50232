import { type NotedCall, type ProviderCall, ProviderCalls } from "@bursar/core/port/ProviderCalls"
import { Effect, Layer } from "effect"
import { Store } from "./Store.ts"

/** What is compared of two calls: that of the second may be counted with the first where it is the same. */
const said = ({ answered, asked, call, outcome, provider }: ProviderCall): string =>
  JSON.stringify([provider, call, outcome, asked, answered])

/** What providers were asked for operations and answered, in memory. */
export const layer = Layer.effect(
  ProviderCalls,
  Effect.map(Store, (state) => {
    const of = (tenantId: string, operationId: string): ReadonlyArray<NotedCall> =>
      state.providerCalls.filter((call) => call.tenantId === tenantId && call.operationId === operationId)
    return ProviderCalls.of({
      note: (call) =>
        Effect.sync(() => {
          const newest = of(call.tenantId, call.operationId).at(-1)
          const { at, durationMs } = call
          if (newest === undefined || said(newest) !== said(call))
            state.providerCalls.push({ ...call, times: 1, lastAt: at })
          else
            state.providerCalls[state.providerCalls.indexOf(newest)] = {
              ...newest,
              times: newest.times + 1,
              lastAt: at,
              durationMs
            }
        }),
      callsOf: (tenantId, operationId, limit) =>
        Effect.sync(() => of(tenantId, operationId).toReversed().slice(0, limit)),
      forget: (before, callsMax) =>
        Effect.sync(() => {
          const old = new Set(state.providerCalls.filter(({ at }) => at < before).slice(0, callsMax))
          state.providerCalls = state.providerCalls.filter((call) => !old.has(call))
          return old.size
        })
    })
  })
)
