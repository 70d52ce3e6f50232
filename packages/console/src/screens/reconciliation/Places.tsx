import type { PlaceObservation, PlaceStop } from "@bursar/api/operator/OperatorReconciliation"
import { Amount } from "../../ui/Amount.tsx"
import { Badge } from "../../ui/Badge.tsx"
import { PlaceSwitch } from "../../ui/PlaceSwitch.tsx"
import { Rows } from "../../ui/Rows.tsx"
import { Time } from "../../ui/Time.tsx"

/** What a stop of a place is called by: the network of a chain, or the provider. */
const stopName = (place: string): string => (place.startsWith("chain:") ? (place.split(":")[1] ?? place) : place)

const Switch = ({ place, stops }: { readonly place: string; readonly stops: ReadonlyArray<PlaceStop> }) => {
  const name = stopName(place)
  return <PlaceSwitch name={name} place={place} stop={stops.find(({ stopped }) => stopped === name) ?? null} />
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
