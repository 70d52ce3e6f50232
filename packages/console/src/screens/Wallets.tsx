import type { OperatorTenant } from "@bursar/api/operator/OperatorTenant"
import { Link } from "wouter"
import { useRead, useReads } from "../api/hooks.ts"
import type { Api } from "../api/client.ts"
import { Card } from "../ui/Card.tsx"
import { Failed } from "../ui/Notice.tsx"
import { Loaded } from "../ui/Loaded.tsx"
import { listMax } from "../ui/listMax.ts"
import { More } from "../ui/More.tsx"
import { Rows } from "../ui/Rows.tsx"
import { operationColumns } from "./operationColumns.tsx"
import { Places } from "./reconciliation/Places.tsx"
import { OnChain } from "../ui/OnChain.tsx"

/** The wallets of some tenants with the nonces that they are at. */
const WalletsOf = ({ all }: { readonly all: ReadonlyArray<OperatorTenant> }) => {
  const lists = useReads(
    all.map(({ id }) => ({
      key: ["wallets", id],
      ask: (api: Api) => api.payouts.wallets({ params: { tenant_id: id } })
    }))
  )
  const error = lists.find((list) => list.error !== null)?.error ?? null
  const rows = all.flatMap(({ id, slug }, index) =>
    (lists[index]?.data?.wallets ?? []).map((wallet) => ({ ...wallet, tenant: slug, tenantId: id }))
  )
  return (
    <>
      {error === null ? null : <Failed error={error} />}
      <Rows
        label="Wallets"
        rows={rows}
        keyOf={({ id }) => id}
        empty={
          lists.some(({ isPending }) => isPending)
            ? "Loading …"
            : error === null
              ? "No tenant has a wallet to pay from."
              : "No wallet could be read."
        }
        columns={[
          { title: "Tenant", of: ({ tenant, tenantId }) => <Link href={`/tenants/${tenantId}`}>{tenant}</Link> },
          {
            title: "Network",
            of: ({ id, network, tenantId }) => <Link href={`/wallets/${tenantId}/${id}`}>{network}</Link>
          },
          { title: "Role", of: ({ role }) => role },
          {
            title: "Address",
            of: ({ address, network }) => <OnChain network={network} what="address" text={address} short />
          },
          { title: "Key", of: ({ custody }) => custody ?? "vault" },
          { title: "Next nonce", kind: "amount", of: ({ next_sequence: next }) => next ?? "–" },
          { title: "Open transactions", kind: "amount", of: ({ open_transactions: open }) => open }
        ]}
      />
    </>
  )
}

/** What payouts are paid from: wallets, what stands on them, and what is under way. */
export const Wallets = () => {
  const reconciliation = useRead(["reconciliation"], (api) => api.reconciliation.show())
  const tenants = useRead(["tenants"], (api) => api.tenants.list())
  const pending = useRead(["payouts", "pending"], (api) =>
    api.operations.list({ query: { kind: "CHAIN_PAYOUT", status: "SENT", order: "oldest", limit: listMax } })
  )
  return (
    <>
      <div className="head">
        <h1>Wallets</h1>
        <Link href="/wallets/sweeps">Sweeps</Link>
      </div>
      <Card title="Wallets">
        <Loaded of={tenants}>{({ tenants: all }) => <WalletsOf all={all} />}</Loaded>
      </Card>
      <Card title="What stands on them, native assets for fees included">
        <Loaded of={reconciliation}>
          {({ places, stops }) => (
            <Places
              stops={stops}
              places={places.filter(({ kind }) => kind === "payout_wallets" || kind === "deposit_addresses")}
            />
          )}
        </Loaded>
      </Card>
      <Card title="Pending payouts, oldest first">
        <Loaded of={pending}>
          {({ operations }) => (
            <>
              <Rows
                label="Pending payouts"
                rows={operations}
                columns={operationColumns}
                keyOf={({ id }) => id}
                empty="No payout waits for its chain."
              />
              <More count={operations.length}>
                <Link href="/operations?kind=CHAIN_PAYOUT&status=SENT&order=oldest">All pending payouts</Link>
              </More>
            </>
          )}
        </Loaded>
      </Card>
    </>
  )
}
