import { useRead } from "../api/hooks.ts"
import { Amount } from "../ui/Amount.tsx"
import { Card } from "../ui/Card.tsx"
import { Loaded } from "../ui/Loaded.tsx"
import { Rows } from "../ui/Rows.tsx"

/** The float of one tenant, by currency. */
export const FloatOf = ({ id, title }: { readonly id: string; readonly title: string }) => {
  const float = useRead(["float", id], (api) => api.floats.show({ params: { tenant_id: id } }))
  return (
    <Card title={title}>
      <Loaded of={float}>
        {({ currencies }) => (
          <Rows
            label={`Balances of ${title}`}
            rows={currencies}
            keyOf={({ total }) => total.currency}
            empty="Nothing was credited yet."
            columns={[
              { title: "Currency", of: ({ total }) => total.currency },
              { title: "Available", kind: "amount", of: ({ available }) => <Amount money={available} /> },
              { title: "Held", kind: "amount", of: ({ held }) => <Amount money={held} /> },
              { title: "Total", kind: "amount", of: ({ total }) => <Amount money={total} /> }
            ]}
          />
        )}
      </Loaded>
    </Card>
  )
}
