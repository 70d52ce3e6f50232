import type { ReconciliationBreak } from "@bursar/api/operator/OperatorReconciliation"
import { Link } from "wouter"
import { useRead } from "../../api/hooks.ts"
import { Action } from "../../ui/Action.tsx"
import { Amount } from "../../ui/Amount.tsx"
import { Badge } from "../../ui/Badge.tsx"
import { Card } from "../../ui/Card.tsx"
import { Copied } from "../../ui/Copied.tsx"
import { Facts } from "../../ui/Facts.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { Rows } from "../../ui/Rows.tsx"
import { Time } from "../../ui/Time.tsx"

const Candidate = ({ id, kind, tenant }: { readonly kind: string; readonly id: string; readonly tenant: string }) =>
  kind === "operation" ? <Link href={`/operations/${tenant}/${id}`}>{kind}</Link> : <Copied text={id} short />

const Break = ({ id }: { readonly id: string }) => {
  const found = useRead(["break", id], (api) => api.reconciliation.oneBreak({ params: { break_id: id } }))
  return (
    <Loaded of={found}>
      {({ candidates }) => (
        <Rows
          label="What could explain it"
          rows={candidates}
          keyOf={({ id: candidate, kind }) => `${kind}|${candidate}`}
          empty="Nothing that is recorded could explain it."
          columns={[
            { title: "At", of: ({ at }) => <Time at={at} /> },
            {
              title: "What",
              of: ({ id: candidate, kind, tenant_id: tenant }) => (
                <Candidate id={candidate} kind={kind} tenant={tenant} />
              )
            },
            { title: "Why", kind: "wrap", of: ({ reason }) => reason }
          ]}
        />
      )}
    </Loaded>
  )
}

/** One difference that nothing in flight explains, with what could explain it. */
export const BreakCard = ({ one }: { readonly one: ReconciliationBreak }) => (
  <Card title={`${one.place}, ${one.currency}`}>
    <div className="stack">
      <Facts
        of={[
          ["State", <Badge tone={one.state === "open" ? "bad" : "warn"}>{one.state}</Badge>],
          ["The books say more by", <Amount money={one.difference} />],
          ["Since", <Time at={one.since} />],
          ["About", one.about === null ? null : <Copied text={one.about.id} />],
          ["Explained by", one.explained_by],
          ["Note", one.note && <Foreign text={one.note} />]
        ]}
      />
      <Break id={one.id} />
      <div className="actions">
        <Action
          label="Explain"
          preview={
            <div className="stack">
              <Facts
                of={[
                  ["Place", one.place],
                  ["Currency", one.currency],
                  ["About", one.about?.id],
                  ["Since", <Time at={one.since} />],
                  ["The books say more by", <Amount money={one.difference} />]
                ]}
              />
              <span>
                Your note stays with it, and it alarms nobody any more. It closes when the difference has gone.
              </span>
            </div>
          }
          ask={[{ name: "note", label: "Why is it there?", kind: "text" }]}
          does="reconciliation.explain"
          act={({ note = "" }) =>
            (ask) =>
              ask({ params: { break_id: one.id }, payload: { note } })
            }
        />
      </div>
    </div>
  </Card>
)
