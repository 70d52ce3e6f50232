import type { OperatorTenant } from "@bursar/api/operator/OperatorTenant"
import { Effect } from "effect"
import { Untouched } from "../../api/Untouched.ts"
import { Action } from "../../ui/Action.tsx"
import { Card } from "../../ui/Card.tsx"
import { Copied } from "../../ui/Copied.tsx"
import { Facts } from "../../ui/Facts.tsx"
import type { Asked } from "../../ui/Question.tsx"
import { Time } from "../../ui/Time.tsx"
import { none, settingGroups, settingsChanged, settingText } from "./settingFields.ts"

type Group = keyof typeof settingGroups

const groups = Object.keys(settingGroups) as ReadonlyArray<Group> // it has these keys alone

const asked = (group: Group, settings: Readonly<Record<string, unknown>>): ReadonlyArray<Asked> =>
  Object.entries(settingGroups[group]).map(([name, [label, kind]]) => ({
    name,
    label,
    optional: !(kind === "flag" || kind === "figure" || kind === "number"),
    initial: settingText(settings[name], kind),
    ...(kind === "flag" && { options: ["true", "false"] })
  }))

const notTold = new Untouched("invalid_request", `One of the values cannot be. Write “${none}” to take a limit away.`)

const Change = ({
  group,
  tenant: { id, settings, slug }
}: {
  readonly group: Group
  readonly tenant: OperatorTenant
}) => (
  <Action
    label={`Change ${group.toLowerCase()}`}
    preview={`What you change holds for ${slug} within seconds; the rest stays. “${none}” takes a limit away. What lets more leave takes a grant where the service goes by grants: the answer proposes it.`}
    ask={asked(group, settings)}
    does="tenants.changeSettings"
    act={(answers) => (ask) =>
      Effect.flatMap(
        Effect.mapError(Effect.fromOption(settingsChanged(group, settings, answers)), () => notTold),
        (payload) => ask({ params: { tenant_id: id }, payload })
      )
    }
  />
)

/** How a person says what a form spells otherwise. */
const words: Readonly<Record<string, string>> = { true: "yes", false: "no", "": "none" }

const shown = (group: Group, settings: Readonly<Record<string, unknown>>) =>
  Object.entries(settingGroups[group]).map(
    ([name, [label, kind]]) =>
      [label, words[settingText(settings[name], kind)] ?? settingText(settings[name], kind)] as const
  )

/** All that is set for a tenant, changed group by group. */
export const TenantSettings = ({ tenant }: { readonly tenant: OperatorTenant }) => (
  <>
    <Card title="About it">
      <Facts
        of={[
          ["Id", <Copied text={tenant.id} />],
          ["Short name", tenant.slug],
          ["Kind", tenant.kind],
          ["Created", <Time at={tenant.created_at} />],
          ["Its row", tenant.problem]
        ]}
      />
    </Card>
    {groups.map((group) => (
      <Card key={group} title={group}>
        <div className="stack">
          <Facts of={shown(group, tenant.settings)} />
          <div className="actions">
            <Change group={group} tenant={tenant} />
          </div>
        </div>
      </Card>
    ))}
  </>
)
