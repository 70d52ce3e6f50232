import { bundles, scopes } from "@bursar/api/scopes/Scopes"
import { useRead } from "../../api/hooks.ts"
import { Action } from "../../ui/Action.tsx"
import { Badge } from "../../ui/Badge.tsx"
import { Card } from "../../ui/Card.tsx"
import { Facts } from "../../ui/Facts.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { Rows } from "../../ui/Rows.tsx"
import { ShownOnce } from "../../ui/ShownOnce.tsx"
import { Time } from "../../ui/Time.tsx"
import { listIn } from "./settingFields.ts"

const Create = ({ id }: { readonly id: string }) => (
  <Action
    label="New API key"
    tone="primary"
    preview="The key is shown once, to be given to the partner. Where grants are configured this only proposes its grant: it opens nothing before people have approved that on the screen Approvals."
    ask={[
      { name: "label", label: "What it is for" },
      { name: "bundle", label: "Bundle of scopes", options: Object.keys(bundles), optional: true },
      { name: "scopes", label: `Scopes by name, with commas (${scopes.slice(0, 3).join(", ")} …)`, optional: true },
      { name: "expires", label: "Until, such as 2027-06-30T00:00:00Z", optional: true }
    ]}
    does="keys.create"
    act={({ bundle = "", expires = "", label = "", scopes: named = "" }) =>
      (ask) =>
        ask({
          params: { tenant_id: id },
          payload: {
            label,
            ...(bundle !== "" && { bundle }),
            ...(named !== "" && { scopes: listIn(named) }),
            ...(expires !== "" && { expires_at: expires })
          }
        })
      }
    done={({ key, proposal_id: proposal }) => (
      <>
        <ShownOnce what="Give it to the partner now." secret={key} />
        {proposal === null ? null : <p>It opens nothing yet: its grant waits on the screen Approvals.</p>}
      </>
    )}
  />
)

/** The API keys of a tenant: made, sealed, revoked. */
export const ApiKeys = ({ id }: { readonly id: string }) => {
  const keys = useRead(["keys", id], (api) => api.keys.list({ params: { tenant_id: id } }))
  return (
    <Card title="API keys">
      <div className="stack">
        <div className="actions">
          <Create id={id} />
        </div>
        <Loaded of={keys}>
          {({ keys: all }) => (
            <Rows
              label="API keys"
              rows={all}
              keyOf={({ id: key }) => key}
              empty="No key was created yet."
              columns={[
                { title: "Key", of: ({ prefix }) => <span className="mono">{prefix}</span> },
                { title: "Label", kind: "wrap", of: ({ label }) => <Foreign text={label} /> },
                { title: "Scopes", kind: "wrap", of: ({ scopes: granted }) => granted.join(", ") },
                { title: "Until", of: ({ expires_at: at }) => (at === null ? "no end" : <Time at={at} />) },
                {
                  title: "",
                  of: ({
                    expires_at: expires,
                    id: key,
                    label,
                    prefix,
                    revoked_at: revoked,
                    scopes: granted,
                    sealed: isSealed
                  }) =>
                    revoked === null ? (
                      <div className="actions">
                        {isSealed ? null : (
                          <Action
                            label="Seal"
                            preview={
                              <div className="stack">
                                <span>Binds what it may do as it stands, so that it opens that again.</span>
                                <Facts
                                  of={[
                                    ["Key", <span className="mono">{prefix}</span>],
                                    ["Label", <Foreign text={label} />],
                                    ["Scopes", granted.join(", ")],
                                    ["Until", expires === null ? "no end" : <Time at={expires} />]
                                  ]}
                                />
                              </div>
                            }
                            does="keys.seal"
                            act={() => (ask) =>
                              ask({
                                params: { tenant_id: id, key_id: key },
                                query: { scopes: granted.join(","), expires_at: expires ?? "never" }
                              })
                            }
                          />
                        )}
                        <Action
                          label="Revoke"
                          tone="danger"
                          preview={`Requests with ${prefix} (${label}) are refused within seconds. It cannot be undone.`}
                          does="keys.revoke"
                          act={() => (ask) => ask({ params: { tenant_id: id, key_id: key } })}
                        />
                      </div>
                    ) : (
                      <Badge>revoked</Badge>
                    )
                }
              ]}
            />
          )}
        </Loaded>
      </div>
    </Card>
  )
}
