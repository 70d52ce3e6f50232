import { useState } from "react"
import { useRead } from "../../api/hooks.ts"
import { Amount } from "../../ui/Amount.tsx"
import { Badge } from "../../ui/Badge.tsx"
import { Card } from "../../ui/Card.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { listMax } from "../../ui/listMax.ts"
import { More } from "../../ui/More.tsx"
import { Rows } from "../../ui/Rows.tsx"
import { Time } from "../../ui/Time.tsx"

/** Differences that were there, with what was said of them. */
export const BreakHistory = () => {
  const found = useRead(["breaks"], (api) => api.reconciliation.breaks({ query: { limit: listMax } }))
  return (
    <Card title="Breaks so far">
      <Loaded of={found}>
        {({ breaks }) => (
          <>
            <Rows
              label="Breaks so far"
              rows={breaks}
              keyOf={({ id }) => id}
              empty="There never was one."
              columns={[
                { title: "Since", of: ({ since }) => <Time at={since} /> },
                { title: "Place", of: ({ place }) => <span className="mono">{place}</span> },
                { title: "Difference", kind: "amount", of: ({ difference }) => <Amount money={difference} /> },
                { title: "State", of: ({ state }) => <Badge tone={state === "open" ? "bad" : "plain"}>{state}</Badge> },
                { title: "Explained by", of: ({ explained_by: by }) => by ?? "" },
                { title: "Note", kind: "wrap", of: ({ note }) => <Foreign text={note ?? ""} /> }
              ]}
            />
            <More count={breaks.length} />
          </>
        )}
      </Loaded>
    </Card>
  )
}

const today = () => new Date().toISOString().slice(0, 10)

/** What was found of a currency at a place on a day, newest first. */
export const Observations = ({
  places
}: {
  readonly places: ReadonlyArray<{ readonly place: string; readonly currency: string }>
}) => {
  const keys = places.map(({ currency, place }) => `${place} ${currency}`)
  const [chosen, setChosen] = useState(keys[0] ?? "")
  const [day, setDay] = useState(today)
  const [place = "", currency = ""] = chosen.split(" ")
  const found = useRead(["observations", chosen, day], (api) =>
    api.reconciliation.observations({ query: { place, currency, day } })
  )
  return (
    <Card title="Observations of a day">
      <div className="stack">
        <form className="filters" onSubmit={(event) => event.preventDefault()}>
          <label>
            Place and currency
            <select value={chosen} onChange={({ currentTarget: { value } }) => setChosen(value)}>
              {keys.map((key) => (
                <option key={key}>{key}</option>
              ))}
            </select>
          </label>
          <label>
            Day (UTC)
            <input type="date" value={day} onChange={({ currentTarget: { value } }) => value === "" || setDay(value)} />
          </label>
        </form>
        <Loaded of={found}>
          {({ observations }) => (
            <Rows
              label="Observations of a day"
              rows={observations}
              keyOf={({ observed_at: at }) => at}
              empty="Nothing was observed on that day."
              columns={[
                { title: "Observed", of: ({ observed_at: at }) => <Time at={at} /> },
                { title: "Books", kind: "amount", of: ({ ledger }) => <Amount money={ledger} /> },
                { title: "In flight", kind: "amount", of: ({ in_flight: flight }) => <Amount money={flight} /> },
                { title: "There", kind: "amount", of: ({ observed }) => <Amount money={observed} /> },
                { title: "Difference", kind: "amount", of: ({ difference }) => <Amount money={difference} /> }
              ]}
            />
          )}
        </Loaded>
      </div>
    </Card>
  )
}
