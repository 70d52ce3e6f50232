import { useRead } from "../../api/hooks.ts"
import { Amount } from "../../ui/Amount.tsx"
import { Badge } from "../../ui/Badge.tsx"
import { Card } from "../../ui/Card.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { listMax } from "../../ui/listMax.ts"
import { More } from "../../ui/More.tsx"
import { Rows } from "../../ui/Rows.tsx"
import { Time } from "../../ui/Time.tsx"
import { OnChain } from "../../ui/OnChain.tsx"

/** Deposits of a tenant whose block left the chain. */
export const Reorged = ({ id }: { readonly id: string }) => {
  const found = useRead(["reorged", id], (api) =>
    api.addresses.reorged({ params: { tenant_id: id }, query: { limit: listMax } })
  )
  return (
    <Card title="Reorganised away">
      <Loaded of={found}>
        {({ deposits }) => (
          <>
            <Rows
              label="Reorganised away"
              rows={deposits}
              keyOf={({ id: deposit }) => deposit}
              empty="No block with a deposit has left its chain."
              columns={[
                { title: "Left the chain", of: ({ reorged_at: at }) => <Time at={at} /> },
                {
                  title: "Now",
                  of: ({ status }) => <Badge tone={status === "REORGED" ? "bad" : "good"}>{status}</Badge>
                },
                { title: "Network", of: ({ network }) => network },
                { title: "Amount", kind: "amount", of: ({ amount }) => <Amount money={amount} /> },
                { title: "Reference", kind: "wrap", of: ({ reference }) => <Foreign text={reference} /> },
                {
                  title: "Transaction",
                  of: ({ network, tx_hash: hash }) => <OnChain network={network} what="transaction" text={hash} short />
                }
              ]}
            />
            <More count={deposits.length} />
          </>
        )}
      </Loaded>
    </Card>
  )
}
