import { operationKinds, operationStatuses } from "@bursar/api/wire/OperationStatus"
import type { ReactNode } from "react"
import { useRead } from "../../api/hooks.ts"
import { localOf, withFilters } from "./withFilters.ts"

/** The filters by which operations are asked for, as they stand in the address of the page. */
export const filterNames = [
  "tenant_id",
  "kind",
  "status",
  "unresolved",
  "contradicted",
  "waiting_reason",
  "network",
  "currency",
  "provider",
  "created_after",
  "created_before",
  "order"
] as const

const Choice = ({
  choose,
  label,
  name,
  none = "all",
  of,
  value
}: {
  readonly label: string
  /** What it is where nothing is chosen. */
  readonly none?: string
  readonly name: string
  readonly of: ReadonlyArray<readonly [string, string]>
  readonly value: string
  readonly choose: (name: string, value: string) => void
}) => (
  <label>
    {label}
    <select name={name} value={value} onChange={({ currentTarget }) => choose(name, currentTarget.value)}>
      <option value="">{none}</option>
      {/* what the address says is shown though it is not among what there is, or not yet */}
      {value === "" || of.some(([key]) => key === value) ? null : <option value={value}>{value}</option>}
      {of.map(([key, title]) => (
        <option key={key} value={key}>
          {title}
        </option>
      ))}
    </select>
  </label>
)

/** A text that counts once the person leaves the field or presses Enter. */
const Text = ({
  label,
  name,
  type = "text",
  value
}: {
  readonly label: string
  readonly name: string
  readonly type?: string
  readonly value: string
}) => (
  <label>
    {label}
    <input name={name} type={type} defaultValue={value} key={value} autoComplete="off" size={12} />
  </label>
)

const same = (names: ReadonlyArray<string>) => names.map((name) => [name, name] as const)

const sorted = (params: URLSearchParams): string => {
  const copy = new URLSearchParams(params)
  copy.sort()
  return copy.toString()
}

/** What to filter operations by. What the address says is checked by the service, which says what is wrong with it. */
export const Filters = ({
  children,
  params,
  set
}: {
  readonly params: URLSearchParams
  readonly set: (params: URLSearchParams) => void
  readonly children?: ReactNode
}) => {
  const tenants = useRead(["tenants"], (api) => api.tenants.list())
  const networks = useRead(["networks"], (api) => api.health.networks())
  const of = (name: (typeof filterNames)[number]) => params.get(name) ?? ""
  const apply = (touched: Iterable<readonly [string, string]>) => {
    const next = withFilters(params, touched)
    if (sorted(next) !== sorted(params)) set(next)
  }
  const choose = (name: string, value: string) => apply([[name, value]])
  return (
    <form
      className="filters"
      onBlur={({ target }) => {
        if (target instanceof HTMLInputElement && target.name !== "") choose(target.name, target.value)
      }}
      onSubmit={(event) => {
        event.preventDefault()
        const inputs = event.currentTarget.querySelectorAll<HTMLInputElement>("input[name]")
        apply([...inputs].map(({ name, value }) => [name, value] as const))
      }}
    >
      <Choice
        choose={choose}
        label="Tenant"
        name="tenant_id"
        value={of("tenant_id")}
        of={(tenants.data?.tenants ?? []).map(({ id, slug }) => [id, slug] as const)}
      />
      <Choice choose={choose} label="Kind" name="kind" value={of("kind")} of={same(operationKinds)} />
      <Choice choose={choose} label="Status" name="status" value={of("status")} of={same(operationStatuses)} />
      <Choice
        choose={choose}
        label="Network"
        name="network"
        value={of("network")}
        of={same((networks.data?.networks ?? []).map(({ network }) => network))}
      />
      <Choice
        choose={choose}
        label="Outcome"
        name="unresolved"
        value={of("unresolved")}
        of={[
          ["true", "not known"],
          ["false", "known"]
        ]}
      />
      <Choice
        choose={choose}
        label="Contradicted"
        name="contradicted"
        value={of("contradicted")}
        of={[["true", "only these"]]}
      />
      <Text label="Currency" name="currency" value={of("currency")} />
      <Text label="Provider" name="provider" value={of("provider")} />
      <Text label="Waits for" name="waiting_reason" value={of("waiting_reason")} />
      <Text label="From" name="created_after" type="datetime-local" value={localOf(of("created_after"))} />
      <Text label="To" name="created_before" type="datetime-local" value={localOf(of("created_before"))} />
      <Choice
        choose={choose}
        label="Order"
        none="newest first"
        name="order"
        value={of("order")}
        of={[["oldest", "oldest first"]]}
      />
      <button type="submit" className="skip">
        Apply
      </button>
      {children}
    </form>
  )
}
