import type { OperatorOperationPage } from "@bursar/api/operator/OperatorOperation"
import type { ReactNode } from "react"
import { Link } from "wouter"
import { useRead } from "../api/hooks.ts"
import { Boundary } from "../shell/Boundary.tsx"
import { screen } from "../shell/screen.tsx"
import { Card } from "../ui/Card.tsx"
import { listMax, mayBeCut } from "../ui/listMax.ts"
import { Loaded } from "../ui/Loaded.tsx"
import { Failed } from "../ui/Notice.tsx"
import { Rows } from "../ui/Rows.tsx"
import { WhenSeen } from "../ui/WhenSeen.tsx"
import { ByTenant } from "./home/ByTenant.tsx"
import { isTroubled } from "./isTroubled.ts"
import { operationColumns } from "./operationColumns.tsx"

/** Drawings are loaded after the page stands. */
const OverTime = screen(() => import("./OverTime.tsx"), "OverTime", "part of the page")

const Waiting = ({
  children,
  count,
  error,
  href,
  title
}: {
  readonly title: string
  readonly href: string
  readonly count: number | undefined
  readonly error: unknown
  readonly children: ReactNode
}) => (
  <Card title={title}>
    {error === null ? null : <Failed error={error} />}
    <div className="number">
      <Link href={href}>{count === undefined ? "…" : mayBeCut(count) ? `${listMax}+` : count}</Link>
    </div>
    <span className="muted">{children}</span>
  </Card>
)

/** How many operations there are, those that cannot be read here among them. */
const countOf = (page: OperatorOperationPage | undefined) =>
  page === undefined ? undefined : page.operations.length + page.unreadable.length

/** What needs a person now, then what happened last. */
export const Home = () => {
  const unresolved = useRead(["home", "unresolved"], (api) =>
    api.operations.list({ query: { unresolved: true, limit: listMax } })
  )
  const reviews = useRead(["home", "reviews"], (api) =>
    api.operations.list({ query: { status: "IN_REVIEW", limit: listMax } })
  )
  const contradicted = useRead(["home", "contradicted"], (api) =>
    api.operations.list({ query: { contradicted: "true", limit: listMax } })
  )
  const held = useRead(["home", "held"], (api) => api["held-arrivals"].list({ query: { limit: listMax } }))
  const quarantine = useRead(["home", "quarantine"], (api) => api.quarantine.list({ query: { limit: listMax } }))
  const networks = useRead(["networks"], (api) => api.health.networks())
  const reconciliation = useRead(["reconciliation"], (api) => api.reconciliation.show())
  const waiting = useRead(["waiting"], (api) => api.waiting.show())
  const latest = useRead(["home", "latest"], (api) => api.operations.list({ query: { limit: 20 } }))
  const troubled = networks.data?.networks.filter(isTroubled)
  return (
    <>
      <h1>What needs you now</h1>
      <div className="grid">
        <Waiting
          title="Stopped"
          href="/reconciliation"
          count={reconciliation.data?.stops.length}
          error={reconciliation.error}
        >
          places that nothing is sent to until somebody resumes them
        </Waiting>
        <Waiting
          title="Reviews"
          href="/operations?status=IN_REVIEW"
          count={countOf(reviews.data)}
          error={reviews.error}
        >
          operations wait for an approval
        </Waiting>
        <ByTenant
          title="Grants"
          href="/approvals"
          hrefOf={() => "/approvals"}
          countOf={({ grants }) => grants}
          ofService={({ fleet_grants: grants }) => grants}
          waiting={waiting}
        >
          proposals wait for approvers
        </ByTenant>
        <ByTenant
          title="Adjustments"
          hrefOf={({ tenant_id: id }) => `/tenants/${id}`}
          countOf={({ adjustments }) => adjustments}
          waiting={waiting}
        >
          corrections of balances wait for another operator
        </ByTenant>
        <ByTenant
          title="Resolutions"
          href="/operations?unresolved=true"
          hrefOf={({ tenant_id: id }) => `/operations?unresolved=true&tenant_id=${id}`}
          countOf={({ resolutions }) => resolutions}
          waiting={waiting}
        >
          outcomes of operations that one operator has stated wait for another
        </ByTenant>
        <Waiting
          title="Unresolved"
          href="/operations?unresolved=true"
          count={countOf(unresolved.data)}
          error={unresolved.error}
        >
          operations whose outcome is not known
        </Waiting>
        <Waiting
          title="Contradicted"
          href="/operations?contradicted=true"
          count={countOf(contradicted.data)}
          error={contradicted.error}
        >
          operations of which something else than what is booked was said once they were over
        </Waiting>
        <Waiting title="Networks" href="/networks" count={troubled?.length} error={networks.error}>
          networks have a problem, are not read or pay nothing out
        </Waiting>
        <Waiting title="Held arrivals" href="/deposits" count={held.data?.arrivals.length} error={held.error}>
          deposits that only one node shows
        </Waiting>
        <Waiting title="Quarantine" href="/deposits" count={quarantine.data?.entries.length} error={quarantine.error}>
          transactions that could not be read
        </Waiting>
        <Waiting
          title="Breaks"
          href="/reconciliation"
          count={reconciliation.data?.breaks.filter(({ state }) => state === "open").length}
          error={reconciliation.error}
        >
          differences that nothing explains
        </Waiting>
        <ByTenant
          title="Suspense"
          href="/deposits"
          hrefOf={() => "/deposits"}
          countOf={({ suspense }) => suspense}
          waiting={waiting}
        >
          balances belong to nobody yet, or left unexplained
        </ByTenant>
        <ByTenant
          title="Endpoints"
          hrefOf={({ tenant_id: id }) => `/tenants/${id}`}
          countOf={({ endpoints_failing: failing, endpoints_off: off }) => failing + off}
          waiting={waiting}
        >
          webhook endpoints are switched off or fail
        </ByTenant>
      </div>
      <Card title="Latest operations">
        <Loaded of={latest}>
          {({ operations }) => (
            <Rows
              label="Latest operations"
              rows={operations}
              columns={operationColumns}
              keyOf={({ id }) => id}
              empty="There is no operation yet."
            />
          )}
        </Loaded>
      </Card>
      <WhenSeen otherwise="Further down: what happened over time.">
        <Boundary part="part of the page">
          <OverTime />
        </Boundary>
      </WhenSeen>
    </>
  )
}
