import type { UseQueryResult } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { Failed } from "./Notice.tsx"

/** What was read, once it is there. What is shown stays while it is read again; that it could not be is said above it. */
export const Loaded = <A,>({
  children,
  of: { data, error, isPending }
}: {
  readonly of: UseQueryResult<A, unknown>
  readonly children: (data: A) => ReactNode
}) => (
  <>
    {error === null ? null : <Failed error={error} />}
    {isPending ? <p className="muted">Loading …</p> : null}
    {data === undefined ? null : children(data)}
  </>
)
