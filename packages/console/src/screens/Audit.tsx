import type { AuditEntry } from "@bursar/api/operator/OperatorAudit"
import { useState } from "react"
import { useRead } from "../api/hooks.ts"
import { Badge } from "../ui/Badge.tsx"
import { Card } from "../ui/Card.tsx"
import { Loaded } from "../ui/Loaded.tsx"
import { Notice } from "../ui/Notice.tsx"
import { Rows } from "../ui/Rows.tsx"
import { Time } from "../ui/Time.tsx"
import { AuditExport } from "./AuditExport.tsx"

const isAbout = ({ method, params, route }: AuditEntry, words: string): boolean =>
  `${method} ${route} ${Object.values(params).join(" ")}`.toLowerCase().includes(words.trim().toLowerCase())

/** What was asked for, or what each record was and is now. */
const Values = ({ values }: Pick<AuditEntry, "values">) =>
  values === null ? null : (
    <details>
      <summary>values</summary>
      <pre className="mono">{JSON.stringify(values, null, 2)}</pre>
    </details>
  )

/** What operators did, newest first, and whether the log holds. */
export const Audit = () => {
  const [operator, setOperator] = useState("")
  const [words, setWords] = useState("")
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
        <label>
          Action or id
          <input value={words} onChange={({ currentTarget }) => setWords(currentTarget.value)} />
        </label>
        <AuditExport operator={operator} />
      </form>
      <Card title="Actions">
        <Loaded of={entries}>
          {({ entries: all }) => (
            <Rows
              label="Actions"
              rows={all.filter((entry) => isAbout(entry, words))}
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
                { title: "What", kind: "wrap", of: ({ values }) => <Values values={values} /> },
                { title: "From", of: ({ address }) => address }
              ]}
            />
          )}
        </Loaded>
      </Card>
    </>
  )
}
