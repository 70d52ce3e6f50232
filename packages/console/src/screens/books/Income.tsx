import { useState } from "react"
import { useRead } from "../../api/hooks.ts"
import { Card } from "../../ui/Card.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { Rows } from "../../ui/Rows.tsx"

const thisMonth = () => new Date().toISOString().slice(0, 7)

/** What a month earned and cost, by tenant, product and currency. */
export const Income = () => {
  const [month, setMonth] = useState(thisMonth)
  const report = useRead(["income", month], (api) => api.books.income({ query: { month } }))
  return (
    <Card title="Costs and income">
      <div className="stack">
        <form className="filters" onSubmit={(event) => event.preventDefault()}>
          <label>
            Month
            <input
              type="month"
              value={month}
              onChange={({ currentTarget: { value } }) => value === "" || setMonth(value)}
            />
          </label>
        </form>
        <Loaded of={report}>
          {({ rows }) => (
            <Rows
              label="Costs and income"
              rows={rows}
              keyOf={({ currency, product, tenant_id: tenant }) => `${tenant}|${product}|${currency}`}
              empty="The month earned and cost nothing."
              columns={[
                { title: "Tenant", of: ({ tenant }) => tenant },
                { title: "Product", of: ({ product }) => product },
                { title: "Currency", of: ({ currency }) => currency },
                { title: "Fees", kind: "amount", of: ({ fees }) => fees },
                { title: "Network fees", kind: "amount", of: ({ network_fees: fees }) => fees },
                { title: "Open conversions", kind: "amount", of: ({ exchange }) => exchange }
              ]}
            />
          )}
        </Loaded>
      </div>
    </Card>
  )
}
