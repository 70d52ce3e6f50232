import { useState } from "react"
import { useRead } from "../api/hooks.ts"
import { Badge } from "../ui/Badge.tsx"
import { Card } from "../ui/Card.tsx"
import { Loaded } from "../ui/Loaded.tsx"
import { Notice } from "../ui/Notice.tsx"
import { Rows } from "../ui/Rows.tsx"
import { Time } from "../ui/Time.tsx"

/** What operators did, newest first, and whether the log holds. */
export const Audit = () => {
  const [operator, setOperator] = useState("")
  const entries = useRead(["audit", operator], (api) =>
    api.audit.list({ query: { limit: 200, ...(operator !== "" && { operator }) } })
  )
  const report = useRead(["audit", "verify"], (api) => api.audit.verify({ query: {} }))
  return (
    <>
      <h1>Audit</h1>
      <Loaded of={report}>
        {({ ok, records }) => (
          <Notice tone={ok ? "good" : "bad"}>
            {ok
              ? `The chain of ${records} records holds.`
              : `The chain is broken after ${records} records: read docs on incidents.`}
          </Notice>
        )}
      </Loaded>
      <form className="filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          Operator
          <input value={operator} onChange={({ currentTarget }) => setOperator(currentTarget.value)} />
        </label>
      </form>
      <Card title="Actions">
        <Loaded of={entries}>
          {({ entries: all }) => (
            <Rows
              label="Actions"
              rows={all}
              keyOf={({ id }) => `${id}`}
              empty="Nobody did anything yet."
              columns={[
                { title: "Id", kind: "amount", of: ({ id }) => id },
                { title: "At", of: ({ at }) => <Time at={at} /> },
                { title: "Operator", of: ({ operator: name, role }) => `${name} (${role})` },
                {
                  title: "Action",
                  kind: "wrap",
                  of: ({ method, route }) => <span className="mono">{`${method} ${route}`}</span>
                },
                {
                  title: "Answer",
                  of: ({ status }) =>
                    status === null ? "asked for" : <Badge tone={status < 400 ? "good" : "bad"}>{status}</Badge>
                },
                {
                  title: "With",
                  kind: "wrap",
                  of: ({ params }) => <span className="mono">{Object.values(params).join(" ")}</span>
                },
                { title: "From", of: ({ address }) => address }
              ]}
            />
          )}
        </Loaded>
      </Card>
    </>
  )
}
