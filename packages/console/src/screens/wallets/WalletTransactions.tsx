import type { OperatorWalletDetail } from "@bursar/api/operator/OperatorWalletDetail"
import { Link } from "wouter"
import { Card } from "../../ui/Card.tsx"
import { Copied } from "../../ui/Copied.tsx"
import { Rows } from "../../ui/Rows.tsx"
import { Time } from "../../ui/Time.tsx"

/** What a wallet pays for and is not over. */
export const WalletTransactions = ({
  tenant,
  transactions
}: {
  readonly tenant: string
  readonly transactions: OperatorWalletDetail["transactions"]
}) => (
  <Card title="Open transactions">
    <Rows
      label="Open transactions"
      rows={transactions}
      keyOf={({ transaction_id: id }) => id}
      empty="None is open."
      columns={[
        { title: "Reserved", of: ({ reserved_at: at }) => <Time at={at} /> },
        { title: "For", of: ({ purpose }) => purpose },
        { title: "Phase", of: ({ phase }) => phase },
        { title: "Nonce", kind: "amount", of: ({ sequence }) => sequence ?? "–" },
        { title: "Signed", of: ({ hashes }) => hashes.map((hash) => <Copied key={hash} text={hash} short />) },
        {
          title: "Operations",
          of: ({ operations }) =>
            operations.map((id) => (
              <Link key={id} href={`/operations/${tenant}/${id}`}>
                {/* the end of an id tells it from others of its time */}…{id.slice(-8)}{" "}
              </Link>
            ))
        },
        { title: "Last sent", of: ({ last_sent_at: at }) => <Time at={at} /> },
        { title: "Problem", kind: "wrap", of: ({ problem }) => problem ?? "" }
      ]}
    />
  </Card>
)
