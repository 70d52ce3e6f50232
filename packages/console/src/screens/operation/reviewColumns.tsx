import type { OperatorOperation } from "@bursar/api/operator/OperatorOperation"
import { Link } from "wouter"
import { Amount } from "../../ui/Amount.tsx"
import { Badge } from "../../ui/Badge.tsx"
import { Copied } from "../../ui/Copied.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import type { Column } from "../../ui/Rows.tsx"
import { Time } from "../../ui/Time.tsx"

const Beside = ({ text, what }: { readonly what: string; readonly text: string }) => (
  <div className="muted">
    {what} <Copied text={text} />
  </div>
)

/** How operations are listed for those who may let them go: who is paid stands beside how much. */
export const reviewColumns: ReadonlyArray<Column<OperatorOperation>> = [
  { title: "Accepted", of: ({ created_at: at }) => <Time at={at} /> },
  {
    title: "Operation",
    of: ({ id, kind, tenant_id: tenant }) => <Link href={`/operations/${tenant}/${id}`}>{kind}</Link>
  },
  { title: "Tenant", of: ({ tenant, tenant_id: id }) => <Link href={`/tenants/${id}`}>{tenant}</Link> },
  { title: "Amount", kind: "amount", of: ({ amount }) => <Amount money={amount} /> },
  {
    title: "Receiver",
    kind: "wrap",
    of: ({ new_receiver: isNew, receiver_name: name }) => (
      <>
        {isNew ? <Badge tone="warn">new receiver</Badge> : null} <Foreign text={name ?? ""} />
      </>
    )
  },
  {
    title: "Account or address",
    of: ({ memo, receiver, receiver_bank: bank }) => (
      <>
        {receiver === null ? "–" : <Copied text={receiver} />}
        {bank === null ? null : <Beside what="Bank code" text={bank} />}
        {memo === null ? null : <Beside what="Memo" text={memo} />}
      </>
    )
  },
  { title: "On", of: ({ network, provider }) => network ?? provider ?? "–" },
  { title: "Reference", kind: "wrap", of: ({ partner_reference: reference }) => <Foreign text={reference ?? ""} /> }
]
