import { type UseQueryResult, useMutation, useQueries, useQuery, useQueryClient } from "@tanstack/react-query"
import type { Effect } from "effect"
import { type Api, call } from "./client.ts"
import { floorMs } from "./liveness.ts"

/** How often work that is under way is looked at, in milliseconds: what it comes to is in no event. */
const workMs = 1_000

/**
 * Reads from the service under a key, and again whenever something of it has changed while the page is looked at; every second while
 * `isWorking` says that it is at something whose progress nothing tells of.
 */
export const useRead = <A, E>(
  key: ReadonlyArray<unknown>,
  ask: (api: Api) => Effect.Effect<A, E>,
  isWorking: (read: A) => boolean = () => false
): UseQueryResult<A, unknown> =>
  useQuery<A, unknown>({
    queryKey: key,
    queryFn: ({ signal }) => call(ask, signal),
    refetchInterval: ({ state: { data } }) => (data !== undefined && isWorking(data) ? workMs : floorMs())
  })

/** Reads several things of one kind, each under a key of its own. */
export const useReads = <A, E>(
  all: ReadonlyArray<{ readonly key: ReadonlyArray<unknown>; readonly ask: (api: Api) => Effect.Effect<A, E> }>
): ReadonlyArray<UseQueryResult<A, unknown>> =>
  useQueries({
    queries: all.map(({ ask, key }) => ({
      queryKey: key,
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => call(ask, signal),
      refetchInterval: floorMs
    }))
  })

/** Does something once, and then reads everything that is shown again. It is never repeated by itself. */
export const useAct = <Input, A, E>(act: (input: Input) => (api: Api) => Effect.Effect<A, E>) => {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (input: Input) => call(act(input)),
    onSettled: () => queries.invalidateQueries()
  })
}
