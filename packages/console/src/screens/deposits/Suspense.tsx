import { useState } from "react"
import type { SuspenseEntry } from "@bursar/api/operator/OperatorSuspense"
import { useRead } from "../../api/hooks.ts"
import { Action } from "../../ui/Action.tsx"
import { Amount } from "../../ui/Amount.tsx"
import { Badge } from "../../ui/Badge.tsx"
import { Card } from "../../ui/Card.tsx"
import { Copied } from "../../ui/Copied.tsx"
import { Facts } from "../../ui/Facts.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { listMax } from "../../ui/listMax.ts"
import { OnChain } from "../../ui/OnChain.tsx"
import { emptyPage, Pager } from "../../ui/Pager.tsx"
import { Rows } from "../../ui/Rows.tsx"
import { Time } from "../../ui/Time.tsx"

/** By what an arrival is told from others: who paid it, to whom and with what memo. Nothing is shortened, since it decides whose it is. */
const Arrival = ({ amount, from_address: from, memo, network, paid_to: to, tx_hash: hash }: SuspenseEntry) => (
  <Facts
    of={[
      ["Amount", <Amount money={amount} />],
      ["From", from === null ? "not known" : <OnChain network={network} what="address" text={from} />],
      ["Paid to", to === null ? null : <OnChain network={network} what="address" text={to} />],
      ["Memo", memo === null ? "none" : <Copied text={memo} />],
      ["Transaction", hash === null ? null : <OnChain network={network} what="transaction" text={hash} />]
    ]}
  />
)

const Assign = ({ entry, id, slug }: { readonly entry: SuspenseEntry; readonly id: string; readonly slug: string }) => (
  <Action
    label="Assign"
    preview={
      <div className="stack">
        <Arrival {...entry} />
        <span>
          It is credited to {slug} against suspense. Above the tenant’s threshold another operator approves it first.
        </span>
      </div>
    }
    ask={[
      {
        name: "reason",
        label: "Whose is it, and how do you know?",
        kind: "text",
        initial: entry.tx_hash === null ? "" : `Transaction ${entry.tx_hash}: `
      }
    ]}
    does="floats.adjust"
    act={({ reason = "" }, key) =>
      (ask) =>
        ask({
          params: { tenant_id: id },
          headers: { "idempotency-key": key },
          payload: { ...entry.amount, against: "suspense", assigns: entry.operation_id, reason }
        })
      }
    done={({ state }) => (state === "booked" ? null : "It waits for another operator: see the tenant’s adjustments.")}
  />
)

const Assigned = ({ to }: { readonly to: NonNullable<SuspenseEntry["assigned"]> }) =>
  to.operation_id === null ? (
    <Badge>Assigned, to be approved</Badge>
  ) : (
    <>
      <Badge>Assigned</Badge> <Copied text={to.operation_id} short />
    </>
  )

/** What arrived for a tenant and belongs to nobody yet, and what left and was never booked in. */
export const SuspenseOf = ({ id, slug }: { readonly id: string; readonly slug: string }) => {
  const [after, setAfter] = useState<string | undefined>()
  const suspense = useRead(["suspense", id, after], (api) =>
    api.suspense.list({
      params: { tenant_id: id },
      query: { limit: listMax, ...(after !== undefined && { cursor: after }) }
    })
  )
  return (
    <Card title={`Suspense of ${slug}`}>
      <Loaded of={suspense}>
        {({ balances, entries, next_cursor: next, shortfalls }) => (
          <div className="stack">
            <Facts
              of={[
                ...balances.map((money) => ["Belongs to nobody yet", <Amount money={money} />] as const),
                ...shortfalls.map(({ amount, place }) => [`Missing at ${place}`, <Amount money={amount} />] as const)
              ]}
            />
            <Rows
              label={`Suspense of ${slug}`}
              rows={entries}
              keyOf={({ id: line }) => line}
              empty={emptyPage(after, "Nothing is in suspense.")}
              columns={[
                { title: "Booked", of: ({ posted_at: at }) => <Time at={at} /> },
                { title: "Way", of: ({ direction }) => direction },
                { title: "Amount", kind: "amount", of: ({ amount }) => <Amount money={amount} /> },
                { title: "Why", kind: "wrap", of: ({ reason }) => reason },
                {
                  title: "Paid to",
                  kind: "wrap",
                  of: ({ memo, paid_to: to }) => <Foreign text={[to, memo].filter(Boolean).join(" ")} />
                },
                { title: "From", of: ({ from_address: from }) => (from === null ? "" : <Copied text={from} short />) },
                {
                  title: "Transaction",
                  of: ({ tx_hash: hash }) => (hash === null ? "" : <Copied text={hash} short />)
                },
                {
                  title: "",
                  of: (entry) =>
                    entry.assigned !== null ? (
                      <Assigned to={entry.assigned} />
                    ) : entry.assignable ? (
                      <Assign entry={entry} id={id} slug={slug} />
                    ) : null
                }
              ]}
            />
            <Pager next={next} after={after} go={setAfter} />
          </div>
        )}
      </Loaded>
    </Card>
  )
}
