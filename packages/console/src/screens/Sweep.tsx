import type { OperatorSweep } from "@bursar/api/operator/OperatorSweep"
import { Link } from "wouter"
import { useRead } from "../api/hooks.ts"
import { About } from "../ui/About.tsx"
import { Amount } from "../ui/Amount.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Card } from "../ui/Card.tsx"
import { Copied } from "../ui/Copied.tsx"
import { Facts } from "../ui/Facts.tsx"
import { Loaded } from "../ui/Loaded.tsx"
import { Rows } from "../ui/Rows.tsx"
import { TenantLink } from "../ui/TenantLink.tsx"
import { Time } from "../ui/Time.tsx"
import { HoldSwitch } from "./deposits/HoldSwitch.tsx"
import { sweepTone } from "./wallets/sweepTone.ts"
import { OnChain } from "../ui/OnChain.tsx"
import { shortened } from "../ui/shortened.ts"
import { Titled } from "../ui/Titled.tsx"

/** The switch of the hold on the address of a sweep, as the address is by now. */
const HoldOf = ({ sweep, tenant }: { readonly tenant: string; readonly sweep: OperatorSweep }) => {
  const { address_id: id } = sweep
  const found = useRead(["addresses", tenant, "swept", id], (api) =>
    api.addresses.get({ params: { tenant_id: tenant, address_id: id } })
  )
  return <Loaded of={found}>{(one) => <HoldSwitch one={one} tenant={tenant} />}</Loaded>
}

/** One sweep with its deposits, its transactions and the hold on its address. */
export const Sweep = ({ id, tenant }: { readonly tenant: string; readonly id: string }) => {
  const found = useRead(["sweep", tenant, id], (api) => api.sweeps.get({ params: { tenant_id: tenant, sweep_id: id } }))
  return (
    <Loaded of={found}>
      {({ sweep, transactions }) => {
        return (
          <About of={[["Tenant", <TenantLink id={tenant} />]]}>
            <Titled subject={`Sweep ${shortened(id)}`} />
            <div className="head">
              <h1>
                Sweep of <Amount money={sweep.amount} />
              </h1>
              <Badge tone={sweepTone(sweep.state)}>{sweep.state}</Badge>
            </div>
            <div className="actions">
              <HoldOf sweep={sweep} tenant={tenant} />
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
