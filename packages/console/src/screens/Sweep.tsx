import { Link } from "wouter"
import { useRead } from "../api/hooks.ts"
import { About } from "../ui/About.tsx"
import { Action } from "../ui/Action.tsx"
import { Amount } from "../ui/Amount.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Card } from "../ui/Card.tsx"
import { Copied } from "../ui/Copied.tsx"
import { Facts } from "../ui/Facts.tsx"
import { Loaded } from "../ui/Loaded.tsx"
import { Rows } from "../ui/Rows.tsx"
import { TenantLink } from "../ui/TenantLink.tsx"
import { Time } from "../ui/Time.tsx"
import { sweepTone } from "./wallets/sweepTone.ts"
import { OnChain } from "../ui/OnChain.tsx"

/** One sweep with its deposits, its transactions and the holds on its address. */
export const Sweep = ({ id, tenant }: { readonly tenant: string; readonly id: string }) => {
  const found = useRead(["sweep", tenant, id], (api) => api.sweeps.get({ params: { tenant_id: tenant, sweep_id: id } }))
  return (
    <Loaded of={found}>
      {({ sweep, transactions }) => {
        const params = { tenant_id: tenant, address_id: sweep.address_id }
        return (
          <About of={[["Tenant", <TenantLink id={tenant} />]]}>
            <div className="head">
              <h1>
                Sweep of <Amount money={sweep.amount} />
              </h1>
              <Badge tone={sweepTone(sweep.state)}>{sweep.state}</Badge>
            </div>
            <div className="actions">
              <Action
                label="Hold the address"
                tone="danger"
                preview={`No new sweep of ${sweep.address} (${sweep.network}) begins. What is signed already may still take effect: the chain decides.`}
                ask={[{ name: "reason", label: "Reason, which the tenant sees", kind: "text" }]}
                does="addresses.hold"
                act={({ reason = "" }) =>
                  (ask) =>
                    ask({ params, payload: { reason } })
                  }
              />
              <Action
                label="Release the address"
                preview={`Ends a hold of an operator or of the service on ${sweep.address} (${sweep.network}). A hold of the tenant stays.`}
                does="addresses.release"
                act={() => (ask) => ask({ params })}
              />
              <Link href={`/wallets/sweeps?tenant=${tenant}&address=${sweep.address_id}`}>Others of the address</Link>
            </div>
            <Card title="Facts">
              <Facts
                of={[
                  ["Id", <Copied text={sweep.id} />],
                  ["Tenant", <TenantLink id={tenant} />],
                  ["Network", sweep.network],
                  ["From", <OnChain network={sweep.network} what="address" text={sweep.address} />],
                  ["Given up because", sweep.problem],
                  ["Begun", <Time at={sweep.created_at} />],
                  ["Ended", sweep.ended_at === null ? null : <Time at={sweep.ended_at} />],
                  ["Closed", sweep.closed_at === null ? null : <Time at={sweep.closed_at} />]
                ]}
              />
            </Card>
            <Card title="Transactions">
              <Rows
                label="Transactions"
                rows={transactions}
                keyOf={({ transaction_id: transaction }) => transaction}
                empty="Nothing was signed for it yet."
                columns={[
                  { title: "For", of: ({ purpose }) => (purpose === "TOP_UP" ? "coin for the fee" : "the move") },
                  { title: "Phase", of: ({ outcome, phase }) => outcome ?? phase },
                  {
                    title: "Signed",
                    of: ({ hashes }) => hashes.map((hash) => <Copied key={hash} text={hash} short />)
                  },
                  { title: "Fee", kind: "amount", of: ({ fee }) => <Amount money={fee} /> },
                  { title: "Sent", of: ({ sent_at: at }) => <Time at={at} /> },
                  { title: "Ended", of: ({ ended_at: at }) => <Time at={at} /> },
                  { title: "Problem", kind: "wrap", of: ({ problem }) => problem ?? "" }
                ]}
              />
            </Card>
            <Card title="Deposits that it moves">
              <Rows
                label="Deposits that it moves"
                rows={sweep.deposits}
                keyOf={({ deposit_id: deposit }) => deposit}
                empty="None."
                columns={[
                  {
                    title: "Transaction",
                    of: ({ tx_hash: hash }) => <OnChain network={sweep.network} what="transaction" text={hash} short />
                  },
                  { title: "Place in it", kind: "amount", of: ({ transfer_index: index }) => index },
                  { title: "Deposit", of: ({ deposit_id: deposit }) => <Copied text={deposit} short /> }
                ]}
              />
            </Card>
          </About>
        )
      }}
    </Loaded>
  )
}
