import { useRead } from "../api/hooks.ts"
import { Card } from "../ui/Card.tsx"
import { Foreign } from "../ui/Foreign.tsx"
import { Loaded } from "../ui/Loaded.tsx"
import { Notice } from "../ui/Notice.tsx"
import { Rows } from "../ui/Rows.tsx"
import { Time } from "../ui/Time.tsx"
import { BreakCard } from "./reconciliation/Breaks.tsx"
import { ImportStatement } from "./reconciliation/ImportStatement.tsx"
import { BreakHistory, Observations } from "./reconciliation/History.tsx"
import { Places } from "./reconciliation/Places.tsx"

/** The books against the world: what is stopped, what nothing explains, and every place. */
export const Reconciliation = () => {
  const found = useRead(["reconciliation"], (api) => api.reconciliation.show())
  return (
    <>
      <h1>Reconciliation</h1>
      <Loaded of={found}>
        {({ breaks, places, stops }) => (
          <>
            {breaks.length === 0 ? <Notice tone="good">Nothing that is known is unexplained.</Notice> : null}
            {breaks.map((one) => (
              <BreakCard key={one.id} one={one} />
            ))}
            <Card title="Stopped">
              <Rows
                label="Stopped"
                rows={stops}
                keyOf={({ stopped }) => stopped}
                empty="Nothing is stopped."
                columns={[
                  { title: "What", of: ({ stopped }) => stopped },
                  { title: "Reason", kind: "wrap", of: ({ reason }) => <Foreign text={reason} /> },
                  { title: "By", of: ({ by }) => by },
                  { title: "At", of: ({ at }) => <Time at={at} /> }
                ]}
              />
            </Card>
            <Card title="Places">
              <Places places={places} stops={stops} />
            </Card>
            <ImportStatement />
            <BreakHistory />
            {places.length === 0 ? null : (
              <Observations places={places.map(({ currency, place }) => ({ currency, place }))} />
            )}
          </>
        )}
      </Loaded>
    </>
  )
}
