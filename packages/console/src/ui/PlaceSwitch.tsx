import { Action } from "./Action.tsx"

/** Stops what is sent to a place of value, of all tenants and at once, or lets it go on. */
export const PlaceSwitch = ({
  isStopped,
  name,
  place
}: {
  /** The place as the contract names it. */
  readonly place: string
  /** What people call it by. */
  readonly name: string
  readonly isStopped: boolean
}) =>
  isStopped ? (
    <Action
      label="Resume"
      preview={`What waits for ${name} is sent within minutes.`}
      does="reconciliation.resumePlace"
      act={() => (ask) => ask({ params: { place } })}
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
