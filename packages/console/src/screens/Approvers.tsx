import type { OperatorApprovers } from "@bursar/api/operator/OperatorGrant"
import { useRead } from "../api/hooks.ts"
import { makePasskey, type MadePasskey } from "../api/passkeys.ts"
import { Action } from "../ui/Action.tsx"
import { Card } from "../ui/Card.tsx"
import { Copied } from "../ui/Copied.tsx"
import { Rows } from "../ui/Rows.tsx"

const Made = ({ passkey }: { readonly passkey: MadePasskey }) => (
  <div className="stack">
    <p>
      The passkey is on your device. Give this public value, in person or by a call, to whoever proposes you as an
      approver; it goes into <span className="mono">keys</span> of the grant <span className="mono">approvers</span>:
    </p>
    <Copied text={JSON.stringify(passkey)} />
  </div>
)

/** Who may approve grants, how many of them it takes, and how one becomes one of them. */
export const Approvers = ({ people }: { readonly people: typeof OperatorApprovers.Type }) => {
  const session = useRead(["session"], (api) => api.session.show())
  const others = Object.entries(people.quorums).map(([kind, quorum]) => `${kind}: ${quorum}`)
  const name = session.data?.name ?? ""
  return (
    <Card title="Approvers">
      <div className="stack">
        <p>
          It takes {people.quorum} of them{others.length === 0 ? "" : ` (${others.join(", ")})`}.
        </p>
        <Rows
          label="Approvers"
          rows={people.approvers.flatMap((person) => person.keys.map((key) => ({ ...person, ...key })))}
          keyOf={({ key }) => key}
          empty="Nobody may approve."
          columns={[
            { title: "Id", of: ({ id }) => id },
            { title: "Name", kind: "wrap", of: ({ name: own }) => own },
            { title: "Signs with", of: ({ type }) => (type === "passkey" ? "a passkey" : "a key file") },
            { title: "Key", of: ({ key }) => <Copied text={key} short /> }
          ]}
        />
        {people.relying_party === null ? null : (
          <div className="actions">
            <Action
              label="Make a passkey"
              preview="Your device makes a passkey for this site. It approves nothing until the approvers have granted it."
              does={null}
              waits
              act={(_answers, _key, cancelled) => () => makePasskey(people, name, cancelled)}
              done={(passkey) => <Made passkey={passkey} />}
            />
          </div>
        )}
      </div>
    </Card>
  )
}
