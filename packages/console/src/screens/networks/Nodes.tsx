import { useRead } from "../../api/hooks.ts"
import { Badge } from "../../ui/Badge.tsx"
import { Card } from "../../ui/Card.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { Rows } from "../../ui/Rows.tsx"
import { Time } from "../../ui/Time.tsx"
import { OnChain } from "../../ui/OnChain.tsx"

/** What each node says where nodes do not agree. */
export const Nodes = () => {
  const held = useRead(["home", "held"], (api) => api["held-arrivals"].list({ query: {} }))
  return (
    <Card title="Nodes that disagree">
      <Loaded of={held}>
        {({ arrivals }) => (
          <Rows
            label="Nodes that disagree"
            rows={arrivals.flatMap((arrival) => arrival.said.map((word) => ({ ...arrival, ...word })))}
            keyOf={({ node, transfer_index: index, tx_hash: hash }) => `${hash}|${index}|${node}`}
            empty="All nodes that are asked say the same."
            columns={[
              { title: "Network", of: ({ network }) => network },
              { title: "Node", of: ({ node }) => node },
              { title: "Of", of: ({ operator }) => operator },
              { title: "Says", kind: "wrap", of: ({ says }) => says },
              {
                title: "State",
                of: ({ state }) => <Badge tone={state === "disputed" ? "bad" : "warn"}>{state}</Badge>
              },
              {
                title: "Transaction",
                of: ({ network, tx_hash: hash }) => <OnChain network={network} what="transaction" text={hash} short />
              },
              { title: "Since", of: ({ since }) => <Time at={since} /> }
            ]}
          />
        )}
      </Loaded>
    </Card>
  )
}
