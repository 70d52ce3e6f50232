import { useRead } from "../../api/hooks.ts"
import { Badge } from "../../ui/Badge.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { Rows } from "../../ui/Rows.tsx"
import { Time } from "../../ui/Time.tsx"

/** The statements of a place that were imported, newest first. */
export const StatementList = ({ place }: { readonly place: string }) => {
  const found = useRead(["statements", place], (api) => api.reconciliation.statements({ query: { place } }))
  return (
    <>
      <strong>Statements of {place}</strong>
      <Loaded of={found}>
        {({ statements }) => (
          <Rows
            label={`Statements of ${place}`}
            rows={statements}
            keyOf={({ id }) => id}
            empty="None was imported, and its provider tells none."
            columns={[
              { title: "Statement", kind: "wrap", of: ({ id }) => id },
              { title: "From", of: ({ from }) => <Time at={from} /> },
              { title: "To", of: ({ to }) => <Time at={to} /> },
              { title: "Compared to", of: ({ compared_to: to }) => <Time at={to} /> },
              {
                title: "Parts",
                of: ({ missing_parts: missing, parts }) =>
                  missing === 0 ? parts : <Badge tone="warn">{`${missing} of ${parts} are missing`}</Badge>
              },
              { title: "By", of: ({ imported_by: by }) => by },
              { title: "At", of: ({ imported_at: at }) => <Time at={at} /> }
            ]}
          />
        )}
      </Loaded>
    </>
  )
}
