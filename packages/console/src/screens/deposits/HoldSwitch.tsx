import type { DepositAddress } from "@bursar/api/wire/DepositAddress"
import { Action } from "../../ui/Action.tsx"
import { Facts } from "../../ui/Facts.tsx"
import { Time } from "../../ui/Time.tsx"

/** Keeps an address of a tenant from being swept, or lets go of the hold that stands there: of that one alone. */
export const HoldSwitch = ({ one, tenant }: { readonly tenant: string; readonly one: DepositAddress }) => {
  const params = { tenant_id: tenant, address_id: one.id }
  const { sweep_held_at: at, sweep_hold_kind: kind, sweep_hold_reason: reason } = one
  if (one.sweeps_enabled === null) return null
  return kind === null || kind === "OWNER" ? (
    <Action
      label="Hold"
      tone="danger"
      preview={`Nothing that arrives at ${one.address} (${one.network}) is moved, even if the tenant releases it. What is signed already may still take effect: the chain decides. Deposits are credited on.`}
      ask={[{ name: "reason", label: "Reason, which the tenant sees", kind: "text" }]}
      does="addresses.hold"
      act={({ reason: why = "" }) =>
        (ask) =>
          ask({ params, payload: { reason: why } })
        }
    />
  ) : (
    <Action
      label="Release"
      preview={
        <div className="stack">
          <Facts
            of={[
              ["Held by", kind],
              ["Because", reason],
              ["Since", at === null ? null : <Time at={at} />]
            ]}
          />
          <span>
            What arrived at {one.address} ({one.network}) is moved on. A hold of the tenant stays, and only the tenant
            ends it.
          </span>
        </div>
      }
      does="addresses.release"
      act={() => (ask) => ask({ params, query: at === null ? {} : { held_at: at } })}
    />
  )
}
