import { operationKinds, operationStatuses } from "@bursar/api/wire/OperationStatus"
import { useInfiniteQuery } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { useLocation, useSearchParams } from "wouter"
import { call } from "../api/client.ts"
import { Loaded } from "../ui/Loaded.tsx"
import { Rows } from "../ui/Rows.tsx"
import { useRead } from "../api/hooks.ts"
import { operationColumns } from "./operationColumns.tsx"
import { rowKeys } from "../shell/rowKeys.ts"

const pageSize = 100

/** The filters by which operations are asked for, as they stand in the address of the page. */
const filterNames = ["tenant_id", "kind", "status", "unresolved", "waiting_reason", "network", "order"] as const

const Choice = ({
  label,
  name,
  of,
  value
}: {
  readonly label: string
  readonly name: string
  readonly of: ReadonlyArray<readonly [string, string]>
  readonly value: string
}) => (
  <label>
    {label}
    <select name={name} defaultValue={value} key={value}>
      <option value="">all</option>
      {of.map(([key, title]) => (
        <option key={key} value={key}>
          {title}
        </option>
      ))}
    </select>
  </label>
)

const same = (names: ReadonlyArray<string>) => names.map((name) => [name, name] as const)

/** Every operation of every kind, by filters that stand in the address, so that a view can be kept and sent. */
export const Operations = () => {
  const [params, setParams] = useSearchParams()
  const [, go] = useLocation()
  const [at, setAt] = useState(-1)
  const tenants = useRead(["tenants"], (api) => api.tenants.list())
  const networks = useRead(["networks"], (api) => api.health.networks())
  const chosen = Object.fromEntries(filterNames.flatMap((name) => (params.get(name) ? [[name, params.get(name)]] : [])))
  const pages = useInfiniteQuery({
    queryKey: ["operations", chosen],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      call(
        // what the address says is checked by the service, which says what is wrong with it
        (api) =>
          api.operations.list({
            query: { ...chosen, limit: pageSize, ...(pageParam && { cursor: pageParam }) } as never
          }),
        signal
      ),
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined
  })
  const rows = pages.data?.pages.flatMap(({ operations }) => operations) ?? []
  useEffect(
    () =>
      rowKeys({
        count: rows.length,
        at,
        move: setAt,
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
        <span className="muted">
          {rows.length} shown{pages.hasNextPage ? ", scroll for more" : ""}
        </span>
      </div>
      <form
        className="filters"
        onChange={(event) => {
          const next = [...new FormData(event.currentTarget)].filter(([, value]) => value !== "")
          setParams(new URLSearchParams(next as Array<[string, string]>)) // selects give texts alone
        }}
      >
        <Choice
          label="Tenant"
          name="tenant_id"
          value={params.get("tenant_id") ?? ""}
          of={(tenants.data?.tenants ?? []).map(({ id, slug }) => [id, slug] as const)}
        />
        <Choice label="Kind" name="kind" value={params.get("kind") ?? ""} of={same(operationKinds)} />
        <Choice label="Status" name="status" value={params.get("status") ?? ""} of={same(operationStatuses)} />
        <Choice
          label="Network"
          name="network"
          value={params.get("network") ?? ""}
          of={same((networks.data?.networks ?? []).map(({ network }) => network))}
        />
        <Choice
          label="Outcome"
          name="unresolved"
          value={params.get("unresolved") ?? ""}
          of={[
            ["true", "not known"],
            ["false", "known"]
          ]}
        />
        <Choice label="Order" name="order" value={params.get("order") ?? ""} of={[["oldest", "oldest first"]]} />
      </form>
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
