import type { PlaceObservation, PlaceStop } from "@bursar/api/operator/OperatorReconciliation"
import { Action } from "../../ui/Action.tsx"
import { Amount } from "../../ui/Amount.tsx"
import { Badge } from "../../ui/Badge.tsx"
import { Rows } from "../../ui/Rows.tsx"
import { Time } from "../../ui/Time.tsx"

/** What a stop of a place is called by: the network of a chain, or the provider. */
const stopName = (place: string): string => (place.startsWith("chain:") ? (place.split(":")[1] ?? place) : place)

const Switch = ({ place, stops }: { readonly place: string; readonly stops: ReadonlyArray<PlaceStop> }) => {
  const name = stopName(place)
  return stops.some(({ stopped }) => stopped === name) ? (
    <Action
      label="Resume"
      preview={`What waits for ${name} is sent within minutes. Where grants are configured this takes a grant, and the answer says how.`}
      act={() => (api) => api.reconciliation.resumePlace({ params: { place } })}
    />
  ) : (
    <Action
      label="Stop"
      tone="danger"
      preview={`Nothing more is sent to ${name}, of all tenants and at once. What was sent is asked for on. One person can stop it.`}
      ask={[{ name: "reason", label: "Reason", kind: "text" }]}
      act={({ reason = "" }) =>
        (api) =>
          api.reconciliation.stopPlace({ params: { place }, payload: { reason } })
        }
    />
  )
}

/** What was found of each currency at each place, and what the books said of it. */
export const Places = ({
  places,
  stops
}: {
  readonly places: ReadonlyArray<PlaceObservation>
  readonly stops: ReadonlyArray<PlaceStop>
}) => (
  <Rows
    label="Places"
    rows={places}
    keyOf={({ currency, place }) => `${place}|${currency}`}
    empty="No place was observed yet: the worker does it."
    columns={[
      { title: "Place", of: ({ place }) => <span className="mono">{place}</span> },
      { title: "Books", kind: "amount", of: ({ ledger }) => <Amount money={ledger} /> },
      { title: "In flight", kind: "amount", of: ({ in_flight: flight }) => <Amount money={flight} /> },
      { title: "There", kind: "amount", of: ({ observed }) => <Amount money={observed} /> },
      {
        title: "Difference",
        kind: "amount",
        of: ({ difference }) =>
          difference === null ? (
            <Badge>told nothing</Badge>
          ) : /^-?0(?:\.0+)?$/u.test(difference.amount) ? (
            <Badge tone="good">none</Badge>
          ) : (
            <Amount money={difference} />
          )
      },
      { title: "Observed", of: ({ observed_at: at }) => <Time at={at} /> },
      { title: "", of: ({ place }) => <Switch place={place} stops={stops} /> }
    ]}
  />
)
