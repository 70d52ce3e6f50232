import type { OperatorDestination } from "@bursar/api/operator/OperatorCustody"
import { useRead } from "../../api/hooks.ts"
import { Action } from "../../ui/Action.tsx"
import { Badge } from "../../ui/Badge.tsx"
import { Card } from "../../ui/Card.tsx"
import { Copied } from "../../ui/Copied.tsx"
import { Facts } from "../../ui/Facts.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { OnChain } from "../../ui/OnChain.tsx"
import { Rows } from "../../ui/Rows.tsx"
import { Time } from "../../ui/Time.tsx"

const tones = { PROPOSED: "warn", COOLING: "warn", RECEIVING: "good", REPLACED: "plain", REJECTED: "bad" } as const

/** All by which a receiver is told from others: with another memo the same address is somebody else. */
const Place = ({ destination: { address, label, memo, network } }: { readonly destination: OperatorDestination }) => (
  <Facts
    of={[
      ["Label", <Foreign text={label} />],
      ["Network", network],
      ["Address", <OnChain network={network} what="address" text={address} />],
      ["Memo", memo === null ? "none" : <Copied text={memo} />]
    ]}
  />
)

/** What rejecting a destination does to the withdrawals that wait to go there. */
const Stopped = ({ destination: { withdrawals_waiting: count } }: { readonly destination: OperatorDestination }) =>
  count === 0 ? (
    <span>No withdrawal waits to go there.</span>
  ) : (
    <strong>
      {count === 1 ? "1 accepted withdrawal waits" : `${count} accepted withdrawals wait`} to go there, and will not
      leave: what is held stays held until somebody cancels it, or the same address is verified anew.
    </strong>
  )

const Decide = ({ destination, id }: { readonly id: string; readonly destination: OperatorDestination }) => {
  const params = { tenant_id: id, destination_id: destination.id }
  const { address, currency, memo } = destination
  return (
    <div className="actions">
      {destination.state === "PROPOSED" ? (
        <Action
          label="Verify"
          tone="primary"
          preview={
            <div className="stack">
              <span>
                After the tenant’s waiting time withdrawals of {destination.currency} go here, and to no other place.{" "}
                {destination.proposed_by} has proposed it, so another operator verifies it.
              </span>
              <Place destination={destination} />
            </div>
          }
          does="custody.verifyDestination"
          act={() => (ask) => ask({ params, payload: { currency, address, memo } })}
        />
      ) : null}
      {destination.state === "REJECTED" || destination.state === "REPLACED" ? null : (
        <Action
          label="Reject"
          tone="danger"
          preview={
            <div className="stack">
              <span>Nothing is sent there any more. It never receives again.</span>
              <Stopped destination={destination} />
              {destination.state === "COOLING" ? (
                <span>
                  The destination before it goes on receiving. Where the service goes by grants it does so only until{" "}
                  <Time at={destination.usable_from} />: from then on withdrawals of {destination.currency} go nowhere,
                  unless another one was granted that receives from that moment on.
                </span>
              ) : null}
              <Place destination={destination} />
            </div>
          }
          ask={[{ name: "reason", label: "Reason", kind: "text" }]}
          does="custody.rejectDestination"
          act={({ reason = "" }) =>
            (ask) =>
              ask({ params, payload: { reason } })
            }
        />
      )}
    </div>
  )
}

/** Where the withdrawals of a tenant go. */
export const Destinations = ({ id }: { readonly id: string }) => {
  const params = { tenant_id: id }
  const found = useRead(["destinations", id], (api) => api.custody.destinations({ params }))
  return (
    <Card title="Destinations">
      <div className="stack">
        <div className="actions">
          <Action
            label="Propose a destination"
            preview="It has no effect until another operator has verified it, or enough approvers have granted it."
            ask={[
              { name: "currency", label: "Currency" },
              { name: "address", label: "Address" },
              { name: "memo", label: "Memo (if the receiver wants one)", optional: true },
              { name: "label", label: "What it is" }
            ]}
            does="custody.proposeDestination"
            act={({ address = "", currency = "", label = "", memo = "" }) =>
              (ask) =>
                ask({
                  params,
                  payload: { address, currency, label, ...(memo !== "" && { memo }) }
                })
              }
          />
        </div>
        <Loaded of={found}>
          {({ destinations }) => (
            <Rows
              label="Destinations"
              rows={destinations}
              keyOf={({ id: destination }) => destination}
              empty="It withdraws nowhere."
              columns={[
                { title: "Currency", of: ({ currency }) => currency },
                { title: "Address", of: ({ address }) => <Copied text={address} short /> },
                { title: "Memo", kind: "wrap", of: ({ memo }) => <Foreign text={memo ?? ""} /> },
                { title: "Label", kind: "wrap", of: ({ label }) => <Foreign text={label} /> },
                { title: "State", of: ({ state }) => <Badge tone={tones[state]}>{state}</Badge> },
                { title: "Waiting", kind: "amount", of: ({ withdrawals_waiting: count }) => count },
                { title: "Usable from", of: ({ usable_from: at }) => <Time at={at} /> },
                {
                  title: "By",
                  kind: "wrap",
                  of: ({ proposed_by: proposed, verified_by: verified }) =>
                    [proposed, verified].filter(Boolean).join(", ")
                },
                { title: "", of: (destination) => <Decide id={id} destination={destination} /> }
              ]}
            />
          )}
        </Loaded>
      </div>
    </Card>
  )
}
