import type { OperatorNetwork } from "@bursar/api/operator/OperatorNetwork"
import { useRead } from "../api/hooks.ts"
import { Action } from "../ui/Action.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Foreign } from "../ui/Foreign.tsx"
import { Loaded } from "../ui/Loaded.tsx"
import { Rows } from "../ui/Rows.tsx"
import { Stop } from "../ui/Stop.tsx"
import { Time } from "../ui/Time.tsx"
import { Scans } from "./deposits/Scans.tsx"
import { Checker } from "./networks/Checker.tsx"
import { NodeErrors, Nodes } from "./networks/Nodes.tsx"
import { Providers } from "./networks/Providers.tsx"

const Switch = ({
  network: { network, payouts_enabled: on, payouts_off_reason: why, payouts_switched_at: at, payouts_switched_by: by }
}: {
  readonly network: OperatorNetwork
}) =>
  on ? (
    <Action
      label="Stop payouts"
      tone="danger"
      preview={`Nobody's payouts are sent on ${network} until they are resumed.`}
      ask={[{ name: "reason", label: "Reason", kind: "text" }]}
      does="health.stopPayouts"
      act={({ reason = "" }) =>
        (ask) =>
          ask({ params: { network }, payload: { reason } })
        }
    />
  ) : (
    <Action
      label="Resume payouts"
      preview={
        <div className="stack">
          <Stop at={at} by={by} reason={why ?? ""} />
          <span>Payouts are sent on {network} again.</span>
        </div>
      }
      does="health.resumePayouts"
      act={() => (ask) => ask({ params: { network }, query: at === null ? {} : { stopped_at: at } })}
    />
  )

const Reread = ({ network: { network } }: { readonly network: OperatorNetwork }) => (
  <Action
    label="Read a block again"
    preview={`The watcher of ${network} reads it in its next pass. What is known stays; what could not be read before is recorded now.`}
    ask={[{ name: "block", label: "Block number" }]}
    does="quarantine.rereadBlock"
    act={({ block = "" }) =>
      (ask) =>
        ask({ params: { network, block_number: Number(block) } })
      }
  />
)

/** How each network is read and what nodes say, the switches of payouts and providers, and whether the books are right. */
export const Networks = () => {
  const networks = useRead(["networks"], (api) => api.health.networks())
  return (
    <>
      <h1>Networks</h1>
      <Loaded of={networks}>
        {({ networks: all }) => (
          <>
            <Rows
              label="Networks"
              rows={all}
              keyOf={({ network }) => network}
              empty="No network is configured."
              columns={[
                {
                  title: "Network",
                  of: ({ environment, network }) => (
                    <>
                      {network} <Badge tone={environment === "LIVE" ? "warn" : "plain"}>{environment}</Badge>
                    </>
                  )
                },
                {
                  title: "Reading",
                  of: ({ watcher_status: status }) => (
                    <Badge tone={status === "FOLLOWING" ? "good" : status === "STALLED" ? "bad" : "plain"}>
                      {status}
                    </Badge>
                  )
                },
                {
                  title: "Read to, of",
                  kind: "amount",
                  of: ({ height, lag_blocks: lag, scanned_height: read }) => (
                    <>
                      {read ?? "–"} / {height ?? "–"}{" "}
                      {lag === null || lag === 0 ? null : <Badge tone="warn">{lag} behind</Badge>}
                    </>
                  )
                },
                { title: "Final after", kind: "amount", of: ({ confirmations: blocks }) => blocks ?? "–" },
                { title: "Told", kind: "wrap", of: ({ notice, problem }) => problem ?? notice ?? "" },
                {
                  title: "Payouts",
                  kind: "wrap",
                  of: ({ payouts_enabled: on, payouts_off_reason: reason }) => (
                    <>
                      <Badge tone={on ? "good" : "bad"}>{on ? "on" : "stopped"}</Badge> <Foreign text={reason ?? ""} />
                    </>
                  )
                },
                { title: "Looked at", of: ({ updated_at: at }) => <Time at={at} /> },
                {
                  title: "",
                  of: (network) => (
                    <div className="actions">
                      <Switch network={network} />
                      <Reread network={network} />
                    </div>
                  )
                }
              ]}
            />
            <NodeErrors networks={all} />
          </>
        )}
      </Loaded>
      <Nodes />
      <Providers />
      <Scans />
      <Checker />
    </>
  )
}
