import type { OperatorWaiting, TenantWaiting } from "@bursar/api/operator/OperatorWaiting"
import { waitingMax } from "@bursar/api/operator/OperatorWaiting"
import type { UseQueryResult } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { Link } from "wouter"
import { Card } from "../../ui/Card.tsx"
import { mayBeCut } from "../../ui/listMax.ts"
import { Failed } from "../../ui/Notice.tsx"
import { summedUp } from "./summedUp.ts"

/** How many tenants are named; the others are below a fold. */
const namedMax = 4

const told = (count: number): string => (mayBeCut(count, waitingMax) ? `${waitingMax}+` : String(count))

interface Counted {
  readonly title: string
  readonly waiting: UseQueryResult<OperatorWaiting, unknown>
  readonly countOf: (tenant: TenantWaiting) => number
  /** What waits of the service itself. */
  readonly ofService?: (waiting: OperatorWaiting) => number
  /** The list of all of them, where there is one. */
  readonly href?: string
  /** Where those of a tenant are. */
  readonly hrefOf: (tenant: TenantWaiting) => string
  readonly children: ReactNode
}

const Named = ({
  countOf,
  hrefOf,
  tenants
}: Pick<Counted, "countOf" | "hrefOf"> & { readonly tenants: ReadonlyArray<TenantWaiting> }) => (
  <ul className="named">
    {tenants.map((one) => (
      <li key={one.tenant_id}>
        <Link href={hrefOf(one)}>{one.slug}</Link> {told(countOf(one))}
      </li>
    ))}
  </ul>
)

/** How much of something waits in all, and of which tenants: those with the most first. */
export const ByTenant = ({ children, countOf, href, hrefOf, ofService, title, waiting }: Counted) => {
  const { data, error } = waiting
  const { count, isCut, tenants } = summedUp(data?.tenants ?? [], countOf)
  const all = count + (data === undefined ? 0 : (ofService?.(data) ?? 0))
  const text = data === undefined ? "…" : `${all}${isCut ? "+" : ""}`
  const [named, others] = [tenants.slice(0, namedMax), tenants.slice(namedMax)]
  return (
    <Card title={title}>
      {error === null ? null : <Failed error={error} />}
      <div className="number">{href === undefined ? text : <Link href={href}>{text}</Link>}</div>
      <span className="muted">{children}</span>
      {named.length === 0 ? null : <Named countOf={countOf} hrefOf={hrefOf} tenants={named} />}
      {others.length === 0 ? null : (
        <details>
          <summary>{others.length === 1 ? "1 more tenant" : `${others.length} more tenants`}</summary>
          <Named countOf={countOf} hrefOf={hrefOf} tenants={others} />
        </details>
      )}
    </Card>
  )
}
