import { Link } from "wouter"
import { useRead } from "../api/hooks.ts"
import { Amount } from "../ui/Amount.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Card } from "../ui/Card.tsx"
import { Copied } from "../ui/Copied.tsx"
import { Facts } from "../ui/Facts.tsx"
import { Loaded } from "../ui/Loaded.tsx"
import { Notice } from "../ui/Notice.tsx"
import { Rows } from "../ui/Rows.tsx"
import { WalletTransactions } from "./wallets/WalletTransactions.tsx"
import { OnChain } from "../ui/OnChain.tsx"
import { shortened } from "../ui/shortened.ts"
import { Titled } from "../ui/Titled.tsx"

/** One wallet: what the chain shows on it, its nonces with their gaps, what is open, and its outputs. */
export const Wallet = ({ id, tenant }: { readonly tenant: string; readonly id: string }) => {
  const found = useRead(["wallet", tenant, id], (api) =>
    api.wallets.get({ params: { tenant_id: tenant, wallet_id: id } })
  )
  return (
    <Loaded of={found}>
      {({ assets, chain_sequence: chain, gaps, transactions, utxos, wallet }) => (
        <>
          <Titled subject={`${wallet.network} ${shortened(wallet.address)}`} />
          <div className="head">
            <h1>
              {wallet.network} {wallet.role === "CHANNEL" ? "channel account" : "payout wallet"}
            </h1>
            <Link href={`/tenants/${tenant}`}>Its tenant</Link>
          </div>
          {gaps.length === 0 ? null : (
            <Notice tone="bad">
              No open transaction takes the nonces {gaps.join(", ")}: what follows waits for them.
            </Notice>
          )}
          <Card title="Facts">
            <Facts
              of={[
                ["Id", <Copied text={wallet.id} />],
                ["Address", <OnChain network={wallet.network} what="address" text={wallet.address} />],
                ["Key", wallet.custody ?? "vault"],
                ["The chain takes next", chain],
                ["The service gives next", wallet.next_sequence],
                ["Open transactions", wallet.open_transactions]
              ]}
            />
          </Card>
          <Card title="What stands on it, gas included">
            <Rows
              label="What stands on it"
              rows={assets}
              keyOf={({ currency }) => currency}
              empty="Nothing."
              columns={[
                { title: "Currency", of: ({ currency }) => currency },
                {
                  title: "On the chain",
                  kind: "amount",
                  of: ({ on_chain: there }) =>
                    there === null ? <Badge tone="warn">no node answers</Badge> : <Amount money={there} />
                },
                { title: "Open transactions take", kind: "amount", of: ({ committed }) => <Amount money={committed} /> }
              ]}
            />
          </Card>
          <WalletTransactions tenant={tenant} transactions={transactions} />
          {utxos.length === 0 ? null : (
            <Card title="Unspent outputs">
              <Rows
                label="Unspent outputs"
                rows={utxos}
                keyOf={({ tx_hash: hash, vout }) => `${hash}:${vout}`}
                empty=""
                columns={[
                  {
                    title: "Output",
                    of: ({ tx_hash: hash, vout }) => (
                      <>
                        <OnChain network={wallet.network} what="transaction" text={hash} short />:{vout}
                      </>
                    )
                  },
                  { title: "Amount", kind: "amount", of: ({ amount }) => <Amount money={amount} /> },
                  {
                    title: "State",
                    of: ({ transaction_id: by }) =>
                      by === null ? <Badge tone="good">free</Badge> : <Badge tone="warn">reserved</Badge>
                  }
                ]}
              />
            </Card>
          )}
        </>
      )}
    </Loaded>
  )
}
