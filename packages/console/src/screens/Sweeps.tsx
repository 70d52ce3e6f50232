import { useState } from "react"
import { Link } from "wouter"
import { useRead } from "../api/hooks.ts"
import { Amount } from "../ui/Amount.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Card } from "../ui/Card.tsx"
import { Loaded } from "../ui/Loaded.tsx"
import { OfTenant } from "../ui/OfTenant.tsx"
import { emptyPage, Pager } from "../ui/Pager.tsx"
import { Rows } from "../ui/Rows.tsx"
import { Time } from "../ui/Time.tsx"
import { sweepTone } from "./wallets/sweepTone.ts"
import { useAddressParts } from "../ui/useTenantInAddress.ts"
import { OnChain } from "../ui/OnChain.tsx"

/** A place in the list that was read with some filters; with others the list begins anew. */
interface Place {
  readonly filters: string
  readonly after: string | undefined
}

const List = ({ id }: { readonly id: string }) => {
  const { change, parts } = useAddressParts()
  const filters = parts.toString()
  const [place, setPlace] = useState<Place>({ filters, after: undefined })
  const after = place.filters === filters ? place.after : undefined
  const isOpen = parts.get("open") === "true"
  const address = parts.get("address")
  const found = useRead(["sweeps", id, isOpen, address, after], (api) =>
    api.sweeps.list({
      params: { tenant_id: id },
      query: {
        limit: 100,
        ...(isOpen && { open: true }),
        ...(address !== null && { address_id: address }),
        ...(after !== undefined && { after })
      }
    })
  )
  return (
    <Card title="Sweeps of the tenant">
      <div className="stack">
        <form className="filters" onSubmit={(event) => event.preventDefault()}>
          <label>
            Only those under way
            <input
              type="checkbox"
              checked={isOpen}
              onChange={({ currentTarget: { checked } }) => change("open", checked ? "true" : "")}
            />
          </label>
          {address === null ? null : (
            <button type="button" onClick={() => change("address", "")}>
              Of all addresses
            </button>
          )}
        </form>
        <Loaded of={found}>
          {({ next_after: next, sweeps }) => (
            <>
              <Rows
                label="Sweeps"
                rows={sweeps}
                keyOf={({ id: sweep }) => sweep}
                empty={emptyPage(after, "Nothing was swept.")}
                columns={[
                  {
                    title: "Begun",
                    of: ({ created_at: at, id: sweep }) => (
                      <Link href={`/wallets/sweeps/${id}/${sweep}`}>
                        <Time at={at} />
                      </Link>
                    )
                  },
                  { title: "State", of: ({ state }) => <Badge tone={sweepTone(state)}>{state}</Badge> },
                  { title: "Network", of: ({ network }) => network },
                  { title: "Amount", kind: "amount", of: ({ amount }) => <Amount money={amount} /> },
                  {
                    title: "From",
                    of: ({ address: from, network }) => <OnChain network={network} what="address" text={from} short />
                  },
                  { title: "Deposits", kind: "amount", of: ({ deposits }) => deposits.length },
                  { title: "Given up because", kind: "wrap", of: ({ problem }) => problem ?? "" },
                  { title: "Closed", of: ({ closed_at: at }) => <Time at={at} /> }
                ]}
              />
              <Pager next={next} after={after} go={(to) => setPlace({ filters, after: to })} />
            </>
          )}
        </Loaded>
      </div>
    </Card>
  )
}

/** What moved what arrived on addresses to payout wallets. */
export const Sweeps = () => (
  <>
    <div className="head">
      <h1>Sweeps</h1>
      <Link href="/wallets">Wallets</Link>
    </div>
    <OfTenant>{({ id }) => <List key={id} id={id} />}</OfTenant>
  </>
)
