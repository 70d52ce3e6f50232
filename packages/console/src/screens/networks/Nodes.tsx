import type { OperatorNetwork } from "@bursar/api/operator/OperatorNetwork"
import { useRead } from "../../api/hooks.ts"
import { Badge } from "../../ui/Badge.tsx"
import { Card } from "../../ui/Card.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { listMax } from "../../ui/listMax.ts"
import { More } from "../../ui/More.tsx"
import { Rows } from "../../ui/Rows.tsx"
import { Time } from "../../ui/Time.tsx"
import { OnChain } from "../../ui/OnChain.tsx"

/** Of how many questions how many failed. */
const share = (failed: number, calls: number) =>
  `${failed} of ${calls}${failed === 0 ? "" : ` (${Math.max(1, Math.round((100 * failed) / calls))} %)`}`

/** How each node of each network did in the last hour. */
export const NodeErrors = ({ networks }: { readonly networks: ReadonlyArray<OperatorNetwork> }) => (
  <Card title="Nodes in the last hour">
    <Rows
      label="Nodes in the last hour"
      rows={networks.flatMap(({ network, nodes }) => nodes.map((node) => ({ network, ...node })))}
      keyOf={({ network, node }) => `${network}|${node}`}
      empty="No network is read with a node."
      columns={[
        { title: "Network", of: ({ network }) => network },
        {
          title: "Node",
          of: ({ is_asked: isAsked, node }) => (
            <>
              {node} {isAsked ? <Badge tone="good">asked first</Badge> : null}
            </>
          )
        },
        {
          title: "Failed",
          kind: "amount",
          of: ({ calls, failed }) => <Badge tone={failed === 0 ? "plain" : "warn"}>{share(failed, calls)}</Badge>
        },
        { title: "Newest failure", kind: "wrap", of: ({ problem }) => problem ?? "" },
        { title: "At", of: ({ problem_at: at }) => <Time at={at} /> }
      ]}
    />
  </Card>
)

/** What each node says where nodes do not agree. */
export const Nodes = () => {
  const held = useRead(["home", "held"], (api) => api["held-arrivals"].list({ query: { limit: listMax } }))
  return (
    <Card title="Nodes that disagree">
      <Loaded of={held}>
        {({ arrivals }) => (
          <>
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
            <More count={arrivals.length} />
          </>
        )}
      </Loaded>
    </Card>
  )
}
