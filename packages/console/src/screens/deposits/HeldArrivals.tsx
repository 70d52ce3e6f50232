import type { HeldArrivalEntry } from "@bursar/api/operator/OperatorHeldArrival"
import { useRead } from "../../api/hooks.ts"
import { Action } from "../../ui/Action.tsx"
import { Badge } from "../../ui/Badge.tsx"
import { Card } from "../../ui/Card.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { Rows } from "../../ui/Rows.tsx"
import { Time } from "../../ui/Time.tsx"
import { OnChain } from "../../ui/OnChain.tsx"

const reasonAsked = [{ name: "reason", label: "What did you see, and where?", kind: "text" }] as const

const Decide = ({ arrival }: { readonly arrival: HeldArrivalEntry }) => {
  const params = { network: arrival.network }
  const { block_hash, transfer_index, tx_hash } = arrival
  return (
    <div className="actions">
      <Action
        label="Accept"
        preview={
          arrival.accepted_by === null
            ? "Yours is the first of two acceptances. It is credited once another operator has accepted it, too."
            : `${arrival.accepted_by} has accepted it. With yours it is credited, whatever the nodes say.`
        }
        ask={reasonAsked}
        does="held-arrivals.accept"
        act={({ reason = "" }) =>
          (ask) =>
            ask({ params, payload: { block_hash, transfer_index, tx_hash, reason } })
          }
      />
      <Action
        label="Refuse"
        tone="danger"
        preview="It is never credited in this block, whatever nodes say later."
        ask={reasonAsked}
        does="held-arrivals.refuse"
        act={({ reason = "" }) =>
          (ask) =>
            ask({ params, payload: { block_hash, transfer_index, tx_hash, reason } })
          }
      />
    </div>
  )
}

/** Deposits that are not credited because nodes do not say the same of them. */
export const HeldArrivals = () => {
  const held = useRead(["home", "held"], (api) => api["held-arrivals"].list({ query: {} }))
  return (
    <Card title="Held arrivals">
      <Loaded of={held}>
        {({ arrivals }) => (
          <Rows
            label="Held arrivals"
            rows={arrivals}
            keyOf={({ network, transfer_index: index, tx_hash: hash }) => `${network}|${hash}|${index}`}
            empty="Nodes agree about every deposit."
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
        )}
      </Loaded>
    </Card>
  )
}
