import type { OperatorProvider } from "@bursar/api/operator/OperatorProvider"
import { useRead } from "../../api/hooks.ts"
import { Badge } from "../../ui/Badge.tsx"
import { Card } from "../../ui/Card.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { PlaceSwitch } from "../../ui/PlaceSwitch.tsx"
import { Rows } from "../../ui/Rows.tsx"
import { Foreign } from "../../ui/Foreign.tsx"

const Switch = ({ name, place, stopped }: OperatorProvider) =>
  place === null ? null : <PlaceSwitch name={name} place={place} stop={stopped} />

/** Who keeps money, moves fiat and checks identities, and how they did lately. */
export const Providers = () => {
  const found = useRead(["providers"], (api) => api.health.providers())
  return (
    <Card title="Providers">
      <Loaded of={found}>
        {({ providers }) => (
          <Rows
            label="Providers"
            rows={providers}
            keyOf={({ does, name }) => `${does}|${name}`}
            empty="No provider is configured."
            columns={[
              { title: "Provider", of: ({ name }) => name },
              { title: "Does", of: ({ does }) => does },
              { title: "Environment", of: ({ environment }) => environment },
              { title: "New orders", of: ({ takes_new: takesNew }) => (takesNew ? "yes" : "earlier ones alone") },
              {
                title: "State",
                kind: "wrap",
                of: ({ stopped }) =>
                  stopped === null ? (
                    <Badge tone="good">on</Badge>
                  ) : (
                    <>
                      <Badge tone="bad">stopped</Badge> <Foreign text={stopped.reason} /> ({stopped.by})
                    </>
                  )
              },
              { title: "Operations of a day", kind: "amount", of: ({ recent }) => recent?.operations ?? "–" },
              {
                title: "Failed",
                kind: "amount",
                of: ({ recent }) =>
                  recent === null || recent.operations === 0
                    ? "–"
                    : `${recent.failed} (${Math.round((100 * recent.failed) / recent.operations)} %)`
              },
              { title: "Unresolved", kind: "amount", of: ({ recent }) => recent?.unresolved ?? "–" },
              { title: "", of: (provider) => <Switch {...provider} /> }
            ]}
          />
        )}
      </Loaded>
    </Card>
  )
}
