import { operationKinds, operationStatuses } from "@bursar/api/wire/OperationStatus"
import type { ReactNode } from "react"
import { useRead } from "../../api/hooks.ts"

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
}) => (
  <label>
    {label}
    <select name={name} defaultValue={value} key={value}>
      <option value="">{none}</option>
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

/** A moment as a field for local time has it. */
const localOf = (text: string): string => {
  const at = Date.parse(text)
  if (Number.isNaN(at)) return ""
  const offset = new Date(at).getTimezoneOffset() * 60_000
  return new Date(at - offset).toISOString().slice(0, 16)
}

/** The filters as an address has them, without what is empty. A moment that the form shows without its seconds stays as it was. */
const readForm = (form: HTMLFormElement, before: URLSearchParams): URLSearchParams => {
  const params = new URLSearchParams()
  for (const [name, value] of new FormData(form)) {
    if (typeof value !== "string" || value.trim() === "") continue
    const was = before.get(name) ?? ""
    const isMoment = name.startsWith("created_")
    params.set(name, !isMoment ? value.trim() : localOf(was) === value ? was : new Date(value).toISOString())
  }
  return params
}

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
  const apply = (form: HTMLFormElement) => {
    const next = readForm(form, params)
    if (sorted(next) !== sorted(params)) set(next)
  }
  return (
    <form
      className="filters"
      onChange={(event) => {
        if (event.target instanceof HTMLSelectElement) apply(event.currentTarget)
      }}
      onBlur={(event) => {
        if (event.target instanceof HTMLInputElement) apply(event.currentTarget)
      }}
      onSubmit={(event) => {
        event.preventDefault()
        apply(event.currentTarget)
      }}
    >
      <Choice
        label="Tenant"
        name="tenant_id"
        value={of("tenant_id")}
        of={(tenants.data?.tenants ?? []).map(({ id, slug }) => [id, slug] as const)}
      />
      <Choice label="Kind" name="kind" value={of("kind")} of={same(operationKinds)} />
      <Choice label="Status" name="status" value={of("status")} of={same(operationStatuses)} />
      <Choice
        label="Network"
        name="network"
        value={of("network")}
        of={same((networks.data?.networks ?? []).map(({ network }) => network))}
      />
      <Choice
        label="Outcome"
        name="unresolved"
        value={of("unresolved")}
        of={[
          ["true", "not known"],
          ["false", "known"]
        ]}
      />
      <Choice label="Contradicted" name="contradicted" value={of("contradicted")} of={[["true", "only these"]]} />
      <Text label="Currency" name="currency" value={of("currency")} />
      <Text label="Provider" name="provider" value={of("provider")} />
      <Text label="Waits for" name="waiting_reason" value={of("waiting_reason")} />
      <Text label="From" name="created_after" type="datetime-local" value={localOf(of("created_after"))} />
      <Text label="To" name="created_before" type="datetime-local" value={localOf(of("created_before"))} />
      <Choice label="Order" none="newest first" name="order" value={of("order")} of={[["oldest", "oldest first"]]} />
      <button type="submit" className="skip">
        Apply
      </button>
      {children}
    </form>
  )
}
