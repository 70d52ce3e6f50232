import type { OperatorTenant } from "@bursar/api/operator/OperatorTenant"
import type { DepositAddress } from "@bursar/api/wire/DepositAddress"
import { useState } from "react"
import { Link } from "wouter"
import { useRead } from "../../api/hooks.ts"
import { Action } from "../../ui/Action.tsx"
import { Badge } from "../../ui/Badge.tsx"
import { Card } from "../../ui/Card.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { emptyPage, Pager } from "../../ui/Pager.tsx"
import { Rows } from "../../ui/Rows.tsx"
import { Time } from "../../ui/Time.tsx"
import { OnChain } from "../../ui/OnChain.tsx"
import { HoldSwitch } from "./HoldSwitch.tsx"

const Actions = ({ one, tenant }: { readonly tenant: string; readonly one: DepositAddress }) => {
  const params = { tenant_id: tenant, address_id: one.id }
  return (
    <div className="actions">
      <Link href={`/wallets/sweeps?tenant=${tenant}&address=${one.id}`}>Sweeps</Link>
      <HoldSwitch one={one} tenant={tenant} />
      {one.retired_at === null ? (
        <Action
          label="Read the past"
          preview={`The watcher reads the blocks from there up to where it is, for ${one.address} (${one.network}). What is known stays; nothing is credited twice.`}
          ask={[
            { name: "from", label: "From, such as 2026-11-01T00:00:00Z", optional: true },
            { name: "block", label: "Or from this block", optional: true }
          ]}
          does="addresses.scan"
          act={({ block = "", from = "" }) =>
            (ask) =>
              ask({
                params,
                payload: { ...(from !== "" && { from }), ...(block !== "" && { from_block: Number(block) }) }
              })
            }
          done={() => "It has begun: see how far it is below, among the readings of the past."}
        />
      ) : null}
    </div>
  )
}

const Hold = ({ one }: { readonly one: DepositAddress }) => {
  if (one.retired_at !== null) return <Badge>retired</Badge>
  if (one.sweep_hold_kind !== null)
    return (
      <>
        <Badge tone="warn">held: {one.sweep_hold_kind}</Badge> <Foreign text={one.sweep_hold_reason ?? ""} />
      </>
    )
  return one.sweeps_enabled === true ? <Badge tone="good">swept</Badge> : <Badge>not swept</Badge>
}

/** The filters of the list, each by the name that the interface has for it. */
const filters = [
  ["address", "Address"],
  ["reference", "Reference"],
  ["network", "Network"]
] as const

/** The deposit addresses of a tenant. */
export const AddressList = ({ tenant: { id } }: { readonly tenant: OperatorTenant }) => {
  const [wanted, setWanted] = useState<Readonly<Record<string, string>>>({})
  const [retired, setRetired] = useState(false)
  const [after, setAfter] = useState<string | undefined>()
  const given = Object.fromEntries(Object.entries(wanted).filter(([, text]) => text !== ""))
  const found = useRead(["addresses", id, given, retired, after], (api) =>
    api.addresses.list({
      params: { tenant_id: id },
      query: { limit: 100, include_retired: retired, ...given, ...(after !== undefined && { after }) }
    })
  )
  return (
    <Card title="Deposit addresses">
      <div className="stack">
        <form
          className="filters"
          onSubmit={(event) => {
            event.preventDefault()
            const form = new FormData(event.currentTarget)
            setWanted(Object.fromEntries(filters.map(([name]) => [name, String(form.get(name) ?? "").trim()])))
            setRetired(form.get("retired") !== null)
            setAfter(undefined)
          }}
        >
          {filters.map(([name, label]) => (
            <label key={name}>
              {label}
              <input name={name} autoComplete="off" />
            </label>
          ))}
          <label>
            Retired, too
            <input type="checkbox" name="retired" />
          </label>
          <button type="submit">Find</button>
        </form>
        <Loaded of={found}>
          {({ addresses, next_after: next }) => (
            <>
              <Rows
                label="Deposit addresses"
                rows={addresses}
                keyOf={({ id: address }) => address}
                empty={emptyPage(after, "There is no such address.")}
                columns={[
                  { title: "Network", of: ({ network }) => network },
                  {
                    title: "Address",
                    of: ({ address, network }) => <OnChain network={network} what="address" text={address} short />
                  },
                  { title: "Reference", kind: "wrap", of: ({ reference }) => <Foreign text={reference} /> },
                  { title: "Source", of: ({ source }) => source },
                  { title: "Sweeping", kind: "wrap", of: (one) => <Hold one={one} /> },
                  { title: "Since", of: ({ created_at: at }) => <Time at={at} /> },
                  { title: "", of: (one) => <Actions one={one} tenant={id} /> }
                ]}
              />
              <Pager next={next} after={after} go={setAfter} />
            </>
          )}
        </Loaded>
      </div>
    </Card>
  )
}
