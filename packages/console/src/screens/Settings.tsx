import { operatorRoles } from "@bursar/api/operator/Operator"
import { useRead } from "../api/hooks.ts"
import { problemOf } from "../api/problem.ts"
import { Badge } from "../ui/Badge.tsx"
import { Card } from "../ui/Card.tsx"
import { Loaded } from "../ui/Loaded.tsx"
import { Notice } from "../ui/Notice.tsx"
import { Rows } from "../ui/Rows.tsx"
import { Time } from "../ui/Time.tsx"
import { Sessions } from "./settings/Sessions.tsx"

const may: Readonly<Record<(typeof operatorRoles)[number], string>> = {
  viewer: "reads everything",
  operator: "does the work of a day: holds, evidence, replays, proposals, closing months",
  approver: "also approves what others propose, resumes what was stopped, publishes",
  admin: "also makes tenants, keys and wallets, changes settings, ends sessions of others"
}

const Operators = () => {
  const found = useRead(["operators"], (api) => api.access.operators())
  return (
    <Card title="Operators">
      <Loaded of={found}>
        {({ operators, shared_token: isShared }) => (
          <div className="stack">
            {isShared ? (
              <Notice>
                All share one token: whoever has it is an administrator, under the name that they give. Give each person
                a token of their own with <span className="mono">bursar operator token</span>.
              </Notice>
            ) : null}
            <Rows
              label="Operators"
              rows={operators}
              keyOf={({ credential, name }) => `${name}|${credential}`}
              empty="The configuration names nobody."
              columns={[
                { title: "Name", of: ({ name }) => name },
                { title: "Role", of: ({ role }) => <Badge>{role}</Badge> },
                { title: "Comes with", of: ({ credential }) => credential.replaceAll("_", " ") },
                { title: "Until", of: ({ expires_at: at }) => (at === null ? "it is replaced" : <Time at={at} />) }
              ]}
            />
            <p className="muted">
              <span className="mono">OPERATORS</span> in the configuration of the servers changes who they are.
            </p>
          </div>
        )}
      </Loaded>
    </Card>
  )
}

const Roles = () => (
  <Card title="Roles">
    <Rows
      label="Roles"
      rows={operatorRoles}
      keyOf={(role) => role}
      empty=""
      columns={[
        { title: "Role", of: (role) => role },
        { title: "May", kind: "wrap", of: (role) => may[role] }
      ]}
    />
  </Card>
)

const Quorums = () => {
  const approvers = useRead(["approvers"], (api) => api.grants.approvers())
  const { data, error } = approvers
  return (
    <Card title="Quorums">
      {error === null ? null : <Notice>{problemOf(error).message}</Notice>}
      {data === undefined ? null : (
        <Rows
          label="Quorums"
          rows={[["every other grant", data.quorum] as const, ...Object.entries(data.quorums)]}
          keyOf={([kind]) => kind}
          empty=""
          columns={[
            { title: "What", of: ([kind]) => kind },
            { title: "Approvals", kind: "amount", of: ([, quorum]) => String(quorum) },
            { title: "Of", kind: "amount", of: () => data.approvers.length }
          ]}
        />
      )}
    </Card>
  )
}

/** Where the interface behind the console is described; it is served beside it. */
const Interface = () => (
  <Card title="Operator API">
    <p>
      Whatever the console does, a program can do, too: read{" "}
      <a href="/docs" target="_blank" rel="noreferrer">
        its documentation
      </a>{" "}
      or take{" "}
      <a href="/openapi.json" target="_blank" rel="noreferrer">
        its OpenAPI document
      </a>
      .
    </p>
  </Card>
)

/** Who operates the service, what each role may do, how many it takes, whose browsers are signed in, and where the API is described. */
export const Settings = () => (
  <>
    <h1>Settings</h1>
    <Operators />
    <Roles />
    <Quorums />
    <Sessions />
    <Interface />
  </>
)
