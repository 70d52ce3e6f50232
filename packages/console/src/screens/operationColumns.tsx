import type { OperatorOperation } from "@bursar/api/operator/OperatorOperation"
import { Link } from "wouter"
import { Amount } from "../ui/Amount.tsx"
import { Foreign } from "../ui/Foreign.tsx"
import type { Column } from "../ui/Rows.tsx"
import { State } from "../ui/State.tsx"
import { Time } from "../ui/Time.tsx"

/** How operations are listed wherever they are. */
export const operationColumns: ReadonlyArray<Column<OperatorOperation>> = [
  { title: "Accepted", of: ({ created_at: at }) => <Time at={at} /> },
  {
    title: "Operation",
    of: ({ id, kind, tenant_id: tenant }) => <Link href={`/operations/${tenant}/${id}`}>{kind}</Link>
  },
  { title: "Tenant", of: ({ tenant, tenant_id: id }) => <Link href={`/tenants/${id}`}>{tenant}</Link> },
  { title: "Status", of: (operation) => <State {...operation} /> },
  { title: "Amount", kind: "amount", of: ({ amount }) => <Amount money={amount} /> },
  { title: "On", of: ({ network, provider }) => network ?? provider ?? "–" },
  { title: "Reference", kind: "wrap", of: ({ partner_reference: reference }) => <Foreign text={reference ?? ""} /> },
  { title: "Waits for", of: ({ waits }) => waits?.reason ?? "" }
]
