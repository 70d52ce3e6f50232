import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query"
import { useEffect, useMemo, useState } from "react"
import { useLocation, useSearchParams } from "wouter"
import { call } from "../api/client.ts"
import { floorMs, onNews } from "../api/liveness.ts"
import { rowKeys } from "../shell/rowKeys.ts"
import { Loaded } from "../ui/Loaded.tsx"
import { Notice } from "../ui/Notice.tsx"
import { Rows } from "../ui/Rows.tsx"
import { SaveButton } from "../ui/SaveButton.tsx"
import { operationColumns } from "./operationColumns.tsx"
import { filterNames, Filters } from "./operations/Filters.tsx"
import { Unreadable } from "./operations/Unreadable.tsx"
import { Views } from "./operations/Views.tsx"

/** How many operations are asked for at once: as many as the service gives. */
const pageSize = 200

/**
 * The operations of some filters, page by page. The first page keeps itself up to date; once somebody has gone further, what is shown stays
 * until they ask for what is new.
 */
const useOperations = (chosen: Readonly<Record<string, string>>) => {
  const queries = useQueryClient()
  const [isNews, setNews] = useState(false)
  const key = useMemo(() => ["pages", "operations", chosen], [chosen])
  const pages = useInfiniteQuery({
    queryKey: key,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      call(
        // what the address says is checked by the service
        (api) =>
          api.operations.list({
            query: { ...chosen, limit: pageSize, ...(pageParam && { cursor: pageParam }) } as never
          }),
        signal
      ),
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : floorMs()),
    refetchOnWindowFocus: false,
    refetchOnReconnect: false
  })
  const isFar = (pages.data?.pages.length ?? 0) > 1
  useEffect(
    () =>
      onNews(() => {
        if (isFar) setNews(true)
        else void queries.invalidateQueries({ queryKey: key })
      }),
    [isFar, key, queries]
  )
  const rows = useMemo(() => pages.data?.pages.flatMap(({ operations }) => operations) ?? [], [pages.data])
  const showNews = () => {
    setNews(false)
    void queries.resetQueries({ queryKey: key })
  }
  const unreadable = useMemo(() => pages.data?.pages.flatMap((page) => page.unreadable) ?? [], [pages.data])
  return { pages, rows, unreadable, isNews: isNews && isFar, showNews }
}

/** Every operation of every kind, by filters that stand in the address, so that a view can be kept and sent. */
export const Operations = () => {
  const [params, setParams] = useSearchParams()
  const [, go] = useLocation()
  const [selected, select] = useState<string | null>(null)
  const search = params.toString()
  const chosen = useMemo(() => {
    const given = new URLSearchParams(search)
    return Object.fromEntries(filterNames.flatMap((name) => (given.get(name) ? [[name, given.get(name) ?? ""]] : [])))
  }, [search])
  const { isNews, pages, rows, showNews, unreadable } = useOperations(chosen)
  // the operation itself, so that neither another filter nor what comes in above puts another one at its place
  const at = useMemo(() => rows.findIndex(({ id }) => id === selected), [rows, selected])
  useEffect(
    () =>
      rowKeys({
        count: rows.length,
        at,
        move: (index) => select(rows[index]?.id ?? null),
        open: (index) => {
          const row = rows[index]
          if (row !== undefined) go(`/operations/${row.tenant_id}/${row.id}`)
        }
      }),
    [rows, at, go]
  )
  return (
    <>
      <div className="head">
        <h1>Operations</h1>
        <div className="actions">
          <span className="muted">
            {rows.length} shown{pages.hasNextPage ? ", scroll for more" : ""}
          </span>
          <SaveButton
            label="CSV of all"
            name="operations.csv"
            type="text/csv"
            bytes={(api) => api.operations.export({ query: chosen as never }) /* checked by the service, as above */}
          />
        </div>
      </div>
      <Views search={search} />
      <Filters params={params} set={setParams} />
      {isNews ? (
        <Notice>
          Something has happened since.{" "}
          <button type="button" onClick={showNews}>
            Show it
          </button>
        </Notice>
      ) : null}
      <Unreadable operations={unreadable} />
      <Loaded of={pages}>
        {() => (
          <Rows
            label="Operations"
            rows={rows}
            columns={operationColumns}
            keyOf={({ id }) => id}
            empty="No operation fits these filters."
            selected={at}
            onEnd={() => void (pages.hasNextPage && !pages.isFetchingNextPage && pages.fetchNextPage())}
          />
        )}
      </Loaded>
    </>
  )
}
