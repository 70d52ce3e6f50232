import { useState } from "react"
import { Link } from "wouter"
import { useRead } from "../api/hooks.ts"
import { Card } from "../ui/Card.tsx"
import { Copied } from "../ui/Copied.tsx"
import { Loaded } from "../ui/Loaded.tsx"
import { listMax } from "../ui/listMax.ts"
import { emptyPage, Pager } from "../ui/Pager.tsx"
import { Rows } from "../ui/Rows.tsx"
import { TenantLink } from "../ui/TenantLink.tsx"
import { Time } from "../ui/Time.tsx"
import { HeldArrivals } from "./deposits/HeldArrivals.tsx"
import { Quarantine } from "./deposits/Quarantine.tsx"
import { SuspenseOf } from "./deposits/Suspense.tsx"
import { operationColumns } from "./operationColumns.tsx"

const KeyConflicts = () => {
  const [after, setAfter] = useState<string | undefined>()
  const found = useRead(["key-conflicts", after], (api) =>
    api.addresses.keyConflicts({ query: { limit: listMax, ...(after !== undefined && { cursor: after }) } })
  )
  return (
    <Card title="Key conflicts">
      <Loaded of={found}>
        {({ conflicts, next_cursor: next }) => (
          <>
            <Rows
              label="Key conflicts"
              rows={conflicts}
              keyOf={({ id, what }) => `${what}|${id}`}
              empty={emptyPage(after, "No two tenants claim one key.")}
              columns={[
                { title: "What", of: ({ what }) => what },
                { title: "Network", of: ({ network }) => network },
                { title: "Address or key", of: ({ text }) => <Copied text={text} short /> },
                { title: "Of", of: ({ tenant_id: id }) => <TenantLink id={id} /> },
                { title: "Kept by", of: ({ kept_by: id }) => <TenantLink id={id} /> },
                { title: "Found", of: ({ found_at: at }) => <Time at={at} /> }
              ]}
            />
            <Pager next={next} after={after} go={setAfter} />
          </>
        )}
      </Loaded>
    </Card>
  )
}

/** What came in: credited, held, unreadable, or for nobody. */
export const Deposits = () => {
  const latest = useRead(["deposits"], (api) => api.operations.list({ query: { kind: "DEPOSIT", limit: 100 } }))
  const tenants = useRead(["tenants"], (api) => api.tenants.list())
  return (
    <>
      <div className="head">
        <h1>Deposits</h1>
        <span className="actions">
          <Link href="/deposits/addresses">Addresses</Link>
          <Link href="/operations?kind=DEPOSIT">All deposits</Link>
        </span>
      </div>
      <HeldArrivals />
      <Quarantine />
      <Card title="Latest deposits">
        <Loaded of={latest}>
          {({ operations }) => (
            <Rows
              label="Latest deposits"
              rows={operations}
              columns={operationColumns}
              keyOf={({ id }) => id}
              empty="Nothing was credited yet."
            />
          )}
        </Loaded>
      </Card>
      <Loaded of={tenants}>
        {({ tenants: all }) => all.map(({ id, slug }) => <SuspenseOf key={id} id={id} slug={slug} />)}
      </Loaded>
      <KeyConflicts />
    </>
  )
}
