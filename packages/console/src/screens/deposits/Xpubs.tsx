import { useRead } from "../../api/hooks.ts"
import { Badge } from "../../ui/Badge.tsx"
import { Card } from "../../ui/Card.tsx"
import { Copied } from "../../ui/Copied.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { Rows } from "../../ui/Rows.tsx"
import { Time } from "../../ui/Time.tsx"

/** The extended public keys that a tenant's addresses follow from. */
export const Xpubs = ({ id }: { readonly id: string }) => {
  const found = useRead(["xpubs", id], (api) => api.addresses.xpubs({ params: { tenant_id: id } }))
  return (
    <Card title="Extended public keys">
      <Loaded of={found}>
        {({ xpubs }) => (
          <Rows
            label="Extended public keys"
            rows={xpubs}
            keyOf={({ id: xpub }) => xpub}
            empty="The tenant has registered none."
            columns={[
              { title: "Network", of: ({ network }) => network },
              { title: "Key", of: ({ xpub }) => <Copied text={xpub} short /> },
              { title: "From", kind: "amount", of: ({ index_from: from }) => from },
              { title: "To", kind: "amount", of: ({ index_to: to }) => to },
              {
                title: "Next",
                kind: "amount",
                of: ({ index_to: to, next_index: next }) => (next > to ? <Badge tone="bad">used up</Badge> : next)
              },
              {
                title: "State",
                of: ({ retired_at: at }) => (at === null ? <Badge tone="good">live</Badge> : <Badge>retired</Badge>)
              },
              { title: "Since", of: ({ created_at: at }) => <Time at={at} /> }
            ]}
          />
        )}
      </Loaded>
    </Card>
  )
}
