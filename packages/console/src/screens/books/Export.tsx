import { exportFormats } from "@bursar/api/operator/OperatorBooks"
import type { OperatorTenant } from "@bursar/api/operator/OperatorTenant"
import { useState } from "react"
import { Card } from "../../ui/Card.tsx"
import { SaveButton } from "../../ui/SaveButton.tsx"
import { OfTenant } from "../../ui/OfTenant.tsx"

const endings = { hledger: "journal", beancount: "beancount", csv: "csv", jsonl: "jsonl", camt053: "xml" } as const

const ExportOf = ({ tenant: { id, slug } }: { readonly tenant: OperatorTenant }) => {
  const [format, setFormat] = useState<(typeof exportFormats)[number]>("csv")
  const [period, setPeriod] = useState("")
  return (
    <form className="filters" onSubmit={(event) => event.preventDefault()}>
      <label>
        Format
        <select
          value={format}
          onChange={({ currentTarget: { value } }) => setFormat(exportFormats.find((one) => one === value) ?? "csv")}
        >
          {exportFormats.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <label>
        Month (all where it is empty)
        <input type="month" value={period} onChange={({ currentTarget: { value } }) => setPeriod(value)} />
      </label>
      <SaveButton
        label="Export"
        name={`${slug}${period === "" ? "" : `-${period}`}.${endings[format]}`}
        type="application/octet-stream"
        bytes={(api) =>
          api.books.export({ params: { tenant_id: id }, query: { format, ...(period !== "" && { period }) } })
        }
      />
    </form>
  )
}

/** A tenant's ledger as a file, in the format of whoever reads it. */
export const Export = () => (
  <Card title="Exports">
    <div className="stack">
      <OfTenant>{(tenant) => <ExportOf key={tenant.id} tenant={tenant} />}</OfTenant>
    </div>
  </Card>
)
