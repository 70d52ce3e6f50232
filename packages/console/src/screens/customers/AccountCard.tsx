import type { OperatorAccount } from "@bursar/api/operator/OperatorCustomer"
import { Link } from "wouter"
import { useRead } from "../../api/hooks.ts"
import { Amount } from "../../ui/Amount.tsx"
import { Badge } from "../../ui/Badge.tsx"
import { Card } from "../../ui/Card.tsx"
import { Copied } from "../../ui/Copied.tsx"
import { Facts } from "../../ui/Facts.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { listMax } from "../../ui/listMax.ts"
import { More } from "../../ui/More.tsx"
import { Rows } from "../../ui/Rows.tsx"
import { Time } from "../../ui/Time.tsx"
import { Foreign } from "../../ui/Foreign.tsx"

const known = (text: string | null) => (text === null ? null : <Copied text={text} />)

/** A fiat account with its entries, newest first. */
export const AccountCard = ({ account, tenant }: { readonly account: OperatorAccount; readonly tenant: string }) => {
  const found = useRead(["entries", account.id], (api) =>
    api.customers.entries({ params: { tenant_id: tenant, account_id: account.id }, query: { limit: listMax } })
  )
  return (
    <Card title={`${account.currency} account`}>
      <div className="stack">
        <Facts
          of={[
            ["State", <Badge tone={account.status === "ACTIVE" ? "good" : "warn"}>{account.status}</Badge>],
            ["Owed to the customer", <Amount money={account.balance} />],
            ["Holder", account.account_holder_name],
            ["IBAN", known(account.iban)],
            ["Account number", known(account.account_number)],
            ["Sort code", account.sort_code],
            ["BIC", known(account.bic)],
            ["Bank", account.bank_name],
            ["Provider", account.provider],
            ["Known there as", known(account.provider_account_id)],
            ["Changed", <Time at={account.changed_at} />]
          ]}
        />
        <Loaded of={found}>
          {({ entries }) => (
            <>
              <Rows
                label={`Entries of the ${account.currency} account`}
                rows={entries}
                keyOf={({ id }) => `${id}`}
                empty="Nothing was booked on it."
                columns={[
                  { title: "No.", kind: "amount", of: ({ id }) => id },
                  { title: "Booked", of: ({ posted_at: at }) => <Time at={at} /> },
                  { title: "Way", of: ({ direction }) => direction },
                  { title: "Amount", kind: "amount", of: ({ amount }) => <Amount money={amount} /> },
                  { title: "Balance", kind: "amount", of: ({ balance }) => <Amount money={balance} /> },
                  {
                    title: "For",
                    kind: "wrap",
                    of: ({ description, operation_id: operation }) =>
                      operation === null ? (
                        description
                      ) : (
                        <Link href={`/operations/${tenant}/${operation}`}>
                          <Foreign text={description} />
                        </Link>
                      )
                  }
                ]}
              />
              <More count={entries.length} />
            </>
          )}
        </Loaded>
      </div>
    </Card>
  )
}
