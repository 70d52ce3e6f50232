import type { OperatorOperationDetail, OperatorProviderCall } from "@bursar/api/operator/OperatorOperation"
import { Badge } from "../../ui/Badge.tsx"
import { Card } from "../../ui/Card.tsx"
import { Facts } from "../../ui/Facts.tsx"
import { Rows } from "../../ui/Rows.tsx"
import { Time } from "../../ui/Time.tsx"

const tones = { DONE: "good", REFUSED: "bad", UNKNOWN: "warn" } as const

const said = (facts: OperatorProviderCall["asked"]) => <Facts of={Object.entries(facts)} />

/** What the provider of an operation was asked and answered. */
export const ProviderCalls = ({ operation }: { readonly operation: OperatorOperationDetail }) => (
  <Card title="Provider">
    <p className="muted">
      What {operation.provider} was asked and answered, newest first. People are not named, and account numbers are cut.
    </p>
    <Rows
      label="Calls of the provider"
      rows={operation.provider_calls}
      keyOf={({ call, first_at: at, outcome }) => `${at}|${call}|${outcome}`}
      empty="It was not called yet, or it is longer ago than calls are kept."
      columns={[
        {
          title: "At",
          of: ({ first_at: first, last_at: last, times }) => (
            <>
              <Time at={first} />
              {times === 1 ? null : (
                <div className="muted">
                  {times} times, until <Time at={last} />
                </div>
              )}
            </>
          )
        },
        { title: "Call", of: ({ call }) => <span className="mono">{call}</span> },
        { title: "Asked", kind: "wrap", of: ({ asked }) => said(asked) },
        { title: "Outcome", of: ({ outcome }) => <Badge tone={tones[outcome]}>{outcome}</Badge> },
        { title: "Answered", kind: "wrap", of: ({ answered }) => said(answered) },
        { title: "Took, ms", kind: "amount", of: ({ duration_ms: took }) => took }
      ]}
    />
  </Card>
)
