import { useRead } from "../../api/hooks.ts"
import { Action } from "../../ui/Action.tsx"
import { Badge } from "../../ui/Badge.tsx"
import { Card } from "../../ui/Card.tsx"
import { Copied } from "../../ui/Copied.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { Rows } from "../../ui/Rows.tsx"
import { Time } from "../../ui/Time.tsx"

/** The public keys with which a partner signs, one row for each API key that one is bound to. */
export const SigningKeys = ({ id }: { readonly id: string }) => {
  const params = { tenant_id: id }
  const found = useRead(["signing-keys", id], (api) => api.signingKeys.list({ params }))
  return (
    <Card title="Signing keys">
      <div className="stack">
        <div className="actions">
          <Action
            label="Register a signing key"
            preview="Requests with the API key may be signed with it. To rotate, register the new one, let the partner change over, then revoke the old one."
            ask={[
              { name: "api_key_id", label: "Id of the API key: its eight characters" },
              { name: "x", label: "The public key: `x` of its JWK (Ed25519)" }
            ]}
            does="signingKeys.add"
            act={({ api_key_id = "", x = "" }) =>
              (ask) =>
                ask({ params, payload: { api_key_id, public_jwk: { kty: "OKP", crv: "Ed25519", x } } })
              }
          />
        </div>
        <Loaded of={found}>
          {({ signing_keys: keys }) => (
            <Rows
              label="Signing keys"
              rows={keys}
              keyOf={({ api_key_id: key, keyid }) => `${keyid}|${key}`}
              empty="It has no signing key."
              columns={[
                { title: "Key id", of: ({ keyid }) => <Copied text={keyid} short /> },
                { title: "Of the API key", of: ({ api_key_id: key }) => <span className="mono">{key}</span> },
                { title: "Since", of: ({ created_at: at }) => <Time at={at} /> },
                {
                  title: "",
                  of: ({ api_key_id, keyid, revoked_at: revoked }) =>
                    revoked === null ? (
                      <Action
                        label="Revoke"
                        tone="danger"
                        preview={`What ${keyid} signs for the API key ${api_key_id} is refused within seconds. It cannot be undone.`}
                        does="signingKeys.revoke"
                        act={() => (ask) => ask({ params: { ...params, keyid }, payload: { api_key_id } })}
                      />
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
