import type { AuditEntry } from "@bursar/api/operator/OperatorAudit"
import { useEffect, useState } from "react"
import { useRead } from "../api/hooks.ts"
import { Badge } from "../ui/Badge.tsx"
import { Card } from "../ui/Card.tsx"
import { Loaded } from "../ui/Loaded.tsx"
import { Notice } from "../ui/Notice.tsx"
import { Pager } from "../ui/Pager.tsx"
import { Rows } from "../ui/Rows.tsx"
import { Time } from "../ui/Time.tsx"
import { AuditExport } from "./AuditExport.tsx"
import { Foreign } from "../ui/Foreign.tsx"
import { printableLines } from "@bursar/api/wire/printable"
import { useAddressParts } from "../ui/useTenantInAddress.ts"
import { reasonIn } from "./audit/reasonIn.ts"

const isAbout = ({ method, params, route }: AuditEntry, words: string): boolean =>
  `${method} ${route} ${Object.values(params).join(" ")}`.toLowerCase().includes(words.trim().toLowerCase())

/** How many records are asked for at once: as many as the service gives. */
const pageSize = 200

/**
 * A page of the log, of what is about some words: where nothing of a page is, the next one is read by itself, so that however much was done since
 * hides nothing.
 */
const useEntries = (operator: string, words: string) => {
  const [before, setBefore] = useState<number | undefined>()
  const page = useRead(["audit", operator, before], (api) =>
    api.audit.list({
      query: { limit: pageSize, ...(operator !== "" && { operator }), ...(before !== undefined && { before }) }
    })
  )
  const all = page.data?.entries ?? []
  const found = all.filter((entry) => isAbout(entry, words))
  const next = all.length < pageSize ? undefined : all.at(-1)?.id
  const isLooking = found.length === 0 && next !== undefined
  useEffect(() => {
    if (isLooking) setBefore(next)
  }, [isLooking, next])
  return { before, found, isLooking, next, page, setBefore }
}

/** What was asked for, or what each record was and is now. */
const Values = ({ problem, values }: Pick<AuditEntry, "problem" | "values">) =>
  problem !== null ? (
    <Notice tone="bad">{problem}</Notice>
  ) : values === null ? null : (
    <details>
      <summary>values</summary>
      <pre className="mono">{printableLines(JSON.stringify(values, null, 2))}</pre>
    </details>
  )

/** What operators did, newest first, and whether the log holds. */
export const Audit = () => {
  const [operator, setOperator] = useState("")
  const { change, parts } = useAddressParts()
  const words = parts.get("about") ?? ""
  const { before, found, isLooking, next, page, setBefore } = useEntries(operator, words)
  const isAll = operator === "" && words.trim() === "" && before === undefined
  const none = isAll ? "Nobody did anything yet." : "Nothing fits, down to the first record."
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
          <input
            value={operator}
            onChange={({ currentTarget: { value } }) => {
              setOperator(value)
              setBefore(undefined)
            }}
          />
        </label>
        <label>
          Action or id
          <input
            value={words}
            onChange={({ currentTarget: { value } }) => {
              change("about", value)
              setBefore(undefined)
            }}
          />
        </label>
        <AuditExport operator={operator} />
      </form>
      <Card title="Actions">
        <Loaded of={page}>
          {() => (
            <>
              <Rows
                label="Actions"
                rows={found}
                keyOf={({ id }) => `${id}`}
                empty={isLooking ? "Looking further back …" : none}
                columns={[
                  { title: "Id", kind: "amount", of: ({ id }) => id },
                  { title: "At", of: ({ at }) => <Time at={at} /> },
                  { title: "Operator", of: ({ operator: name, role }) => `${name} (${role})` },
                  {
                    title: "Action",
                    kind: "wrap",
                    of: ({ method, route, values }) => (
                      <>
                        <span className="mono">{`${method} ${route}`}</span>
                        <div className="muted">
                          <Foreign text={reasonIn(values) ?? ""} />
                        </div>
                      </>
                    )
                  },
                  {
                    title: "Answer",
                    of: ({ status }) =>
                      status === null ? "asked for" : <Badge tone={status < 400 ? "good" : "bad"}>{status}</Badge>
                  },
                  {
                    title: "With",
                    kind: "wrap",
                    of: ({ params }) => (
                      <span className="mono">
                        <Foreign text={Object.values(params).join(" ")} />
                      </span>
                    )
                  },
                  {
                    title: "What",
                    kind: "wrap",
                    of: ({ problem, values }) => <Values problem={problem} values={values} />
                  },
                  { title: "From", of: ({ address }) => address }
                ]}
              />
              <Pager
                next={next === undefined ? null : `${next}`}
                after={before === undefined ? undefined : `${before}`}
                go={(to) => setBefore(to === undefined ? undefined : Number(to))}
              />
            </>
          )}
        </Loaded>
      </Card>
    </>
  )
}
