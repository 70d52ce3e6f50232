import { useState } from "react"
import type { HeldArrivalEntry } from "@bursar/api/operator/OperatorHeldArrival"
import { Link } from "wouter"
import { useRead } from "../../api/hooks.ts"
import { Action } from "../../ui/Action.tsx"
import { Badge } from "../../ui/Badge.tsx"
import { Card } from "../../ui/Card.tsx"
import { Copied } from "../../ui/Copied.tsx"
import { Facts } from "../../ui/Facts.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { listMax } from "../../ui/listMax.ts"
import { emptyPage, Pager } from "../../ui/Pager.tsx"
import { Rows } from "../../ui/Rows.tsx"
import { Time } from "../../ui/Time.tsx"
import { OnChain } from "../../ui/OnChain.tsx"

const reasonAsked = [{ name: "reason", label: "What did you see, and where?", kind: "text" }] as const

/** What is decided about. Each word on it says the same to the service, which refuses it once the record says otherwise. */
const What = ({ arrival }: { readonly arrival: HeldArrivalEntry }) => (
  <Facts
    of={[
      ["Base units", `${arrival.amount_units} of ${arrival.currency}`],
      ["Tenant", <Link href={`/tenants/${arrival.tenant_id}`}>{arrival.tenant_id}</Link>],
      ["To", <OnChain network={arrival.network} what="address" text={arrival.address} />],
      ["Transaction", <OnChain network={arrival.network} what="transaction" text={arrival.tx_hash} />],
      ["Its transfer", arrival.transfer_index],
      ["In block", <Copied text={arrival.block_hash} />],
      ["Accepted because", arrival.acceptance_reason === null ? null : <Foreign text={arrival.acceptance_reason} />]
    ]}
  />
)

const Decide = ({ arrival }: { readonly arrival: HeldArrivalEntry }) => {
  const { address, amount_units, block_hash, currency, network, transfer_index, tx_hash } = arrival
  const decision = (reason: string) => ({
    params: { network },
    payload: { pays: { address, currency, amount_units }, block_hash, transfer_index, tx_hash, reason }
  })
  return (
    <div className="actions">
      <Action
        label="Accept"
        preview={
          <div className="stack">
            <span>
              {arrival.accepted_by === null
                ? "Yours is the first of two acceptances. It is credited once another operator has accepted it, too."
                : `${arrival.accepted_by} has accepted it. With yours it is credited, whatever the nodes say.`}
            </span>
            <What arrival={arrival} />
          </div>
        }
        ask={reasonAsked}
        does="held-arrivals.accept"
        act={({ reason = "" }) =>
          (ask) =>
            ask(decision(reason))
          }
      />
      <Action
        label="Refuse"
        tone="danger"
        preview={
          <div className="stack">
            <span>It is never credited in this block, whatever nodes say later.</span>
            <What arrival={arrival} />
          </div>
        }
        ask={reasonAsked}
        does="held-arrivals.refuse"
        act={({ reason = "" }) =>
          (ask) =>
            ask(decision(reason))
          }
      />
    </div>
  )
}

/** Deposits that are not credited because nodes do not say the same of them. */
export const HeldArrivals = () => {
  const [after, setAfter] = useState<string | undefined>()
  const held = useRead(["home", "held", after], (api) =>
    api["held-arrivals"].list({ query: { limit: listMax, ...(after !== undefined && { cursor: after }) } })
  )
  return (
    <Card title="Held arrivals">
      <Loaded of={held}>
        {({ arrivals, next_cursor: next }) => (
          <>
            <Rows
              label="Held arrivals"
              rows={arrivals}
              keyOf={({ block_hash: block, network, transfer_index: index, tx_hash: hash }) =>
                `${network}|${block}|${hash}|${index}`
              }
              empty={emptyPage(after, "Nodes agree about every deposit.")}
              columns={[
                { title: "Network", of: ({ network }) => network },
                { title: "Since", of: ({ since }) => <Time at={since} /> },
                {
                  title: "Transaction",
                  of: ({ network, tx_hash: hash }) => <OnChain network={network} what="transaction" text={hash} short />
                },
                {
                  title: "Base units",
                  kind: "amount",
                  of: ({ amount_units: units, currency }) => `${units} of ${currency}`
                },
                { title: "State", of: ({ state }) => <Badge tone="warn">{state}</Badge> },
                {
                  title: "Nodes say",
                  kind: "wrap",
                  of: ({ said }) => said.map(({ node, says }) => `${node}: ${says}`).join("; ")
                },
                { title: "", of: (arrival) => <Decide arrival={arrival} /> }
              ]}
            />
            <Pager next={next} after={after} go={setAfter} />
          </>
        )}
      </Loaded>
    </Card>
  )
}
