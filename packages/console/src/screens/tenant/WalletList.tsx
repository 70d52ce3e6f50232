import { Link } from "wouter"
import { useRead } from "../../api/hooks.ts"
import { Action } from "../../ui/Action.tsx"
import { Card } from "../../ui/Card.tsx"
import { Copied } from "../../ui/Copied.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { Rows } from "../../ui/Rows.tsx"
import { OnChain } from "../../ui/OnChain.tsx"

const Create = ({ id }: { readonly id: string }) => {
  const networks = useRead(["networks"], (api) => api.health.networks())
  const enabled = networks.data?.networks.filter((one) => one.enabled).map(({ network }) => network) ?? []
  return (
    <Action
      label="New wallet"
      preview="The vault, or the custody that you name, makes a key and keeps it. Fund the address that you see then. Where the service goes by grants, nothing is swept to it, and the partner is not shown it, before its grant is approved."
      ask={[
        { name: "network", label: "Network", options: enabled },
        { name: "role", label: "Role", options: ["PAYOUT", "ANOTHER PAYOUT", "CHANNEL"] },
        { name: "custody", label: "Key custody, such as pkcs11", optional: true }
      ]}
      does="payouts.createWallet"
      act={({ custody = "", network = "", role }) =>
        (ask) =>
          ask({
            params: { tenant_id: id },
            payload: {
              network,
              role: role === "CHANNEL" ? "CHANNEL" : "PAYOUT",
              ...(role === "ANOTHER PAYOUT" && { another: true }),
              ...(custody !== "" && { custody })
            }
          })
        }
      done={({ address }) => (
        <p>
          Fund it here: <Copied text={address} />
        </p>
      )}
    />
  )
}

/** The wallets that a tenant pays from. */
export const WalletList = ({ id }: { readonly id: string }) => {
  const wallets = useRead(["wallets", id], (api) => api.payouts.wallets({ params: { tenant_id: id } }))
  return (
    <Card title="Wallets">
      <div className="stack">
        <div className="actions">
          <Create id={id} />
        </div>
        <Loaded of={wallets}>
          {({ wallets: all }) => (
            <Rows
              label="Wallets"
              rows={all}
              keyOf={({ id: wallet }) => wallet}
              empty="It has no wallet to pay from."
              columns={[
                {
                  title: "Network",
                  of: ({ id: wallet, network }) => <Link href={`/wallets/${id}/${wallet}`}>{network}</Link>
                },
                { title: "Role", of: ({ role }) => role },
                {
                  title: "Address",
                  of: ({ address, network }) => <OnChain network={network} what="address" text={address} short />
                },
                { title: "Key", of: ({ custody }) => custody ?? "vault" },
                { title: "Open transactions", kind: "amount", of: ({ open_transactions: open }) => open },
                { title: "Next nonce", kind: "amount", of: ({ next_sequence: next }) => next ?? "–" }
              ]}
            />
          )}
        </Loaded>
      </div>
    </Card>
  )
}
