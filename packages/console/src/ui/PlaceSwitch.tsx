import type { PlaceStop } from "@bursar/api/operator/OperatorReconciliation"
import { Action } from "./Action.tsx"
import { Stop } from "./Stop.tsx"

/** Stops what is sent to a place of value, of all tenants and at once, or lets it go on. */
export const PlaceSwitch = ({
  name,
  place,
  stop
}: {
  /** The place as the contract names it. */
  readonly place: string
  /** What people call it by. */
  readonly name: string
  /** Why nothing is sent to it; null where it is. */
  readonly stop: Omit<PlaceStop, "stopped"> | null
}) =>
  stop !== null ? (
    <Action
      label="Resume"
      preview={
        <div className="stack">
          <Stop at={stop.at} by={stop.by} reason={stop.reason} />
          <span>What waits for {name} is sent within minutes.</span>
        </div>
      }
      does="reconciliation.resumePlace"
      act={() => (ask) => ask({ params: { place }, query: { stopped_at: stop.at } })}
    />
  ) : (
    <Action
      label="Stop"
      tone="danger"
      preview={`Nothing more is sent to ${name}, of all tenants and at once. What was sent is asked for on.`}
      ask={[{ name: "reason", label: "Reason", kind: "text" }]}
      does="reconciliation.stopPlace"
      act={({ reason = "" }) =>
        (ask) =>
          ask({ params: { place }, payload: { reason } })
        }
    />
  )
