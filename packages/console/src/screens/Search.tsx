import { foundMax } from "@bursar/api/operator/SearchGroup"
import { Link, useSearchParams } from "wouter"
import { useRead } from "../api/hooks.ts"
import { isFoundCut } from "./isFoundCut.ts"
import { Amount } from "../ui/Amount.tsx"
import { Loaded } from "../ui/Loaded.tsx"
import { Rows } from "../ui/Rows.tsx"
import { Titled } from "../ui/Titled.tsx"
import { Time } from "../ui/Time.tsx"
import { Foreign } from "../ui/Foreign.tsx"

/** Everything that has an id, a hash, an address or a reference, by the exact text. */
export const Search = () => {
  const [params] = useSearchParams()
  const text = params.get("text") ?? ""
  const found = useRead(["search", text], (api) => api.search.find({ query: { text } }))
  return (
    <>
      <Titled subject={text} />
      <h1>
        Found for{" "}
        <span className="mono">
          <Foreign text={text} />
        </span>
      </h1>
      <Loaded of={found}>
        {({ found: all }) => (
          <>
            <Rows
              label="Found"
              rows={all}
              keyOf={({ operation_id: id, tenant_id: tenant, what }) => `${what}|${tenant}|${id}`}
              empty="Nothing has exactly this id, hash, address, reference or amount."
              columns={[
                { title: "By its", of: ({ what }) => what },
                {
                  title: "Found",
                  of: ({ kind, operation_id: id, tenant_id: tenant }) =>
                    id === null ? (
                      <Link href={`/tenants/${tenant}`}>{kind}</Link>
                    ) : (
                      <Link href={`/operations/${tenant}/${id}`}>{kind}</Link>
                    )
                },
                { title: "Tenant", of: ({ tenant }) => tenant },
                { title: "Status", of: ({ status }) => status ?? "" },
                { title: "Amount", kind: "amount", of: ({ amount }) => <Amount money={amount} /> },
                { title: "Since", of: ({ created_at: at }) => <Time at={at} /> }
              ]}
            />
            {isFoundCut(all) ? (
              <p className="muted">
                There can be more: {foundMax} operations and {foundMax} addresses are found at most. Filter{" "}
                <Link href="/operations">the list of operations</Link> to see others.
              </p>
            ) : null}
          </>
        )}
      </Loaded>
    </>
  )
}
