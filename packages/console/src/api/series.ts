import { useQuery, type UseQueryResult } from "@tanstack/react-query"
import type { Effect } from "effect"
import { type Api, call } from "./client.ts"

/** How often sums over time are read again: the service keeps each for as long, in milliseconds. */
const againMs = 30_000

/** Reads a sum over time, again and again at leisure. */
export const useSeries = <A, E>(
  key: ReadonlyArray<unknown>,
  ask: (api: Api) => Effect.Effect<A, E>
): UseQueryResult<A, unknown> =>
  useQuery({
    queryKey: ["series", ...key],
    queryFn: ({ signal }) => call(ask, signal),
    refetchInterval: againMs,
    staleTime: againMs
  })
