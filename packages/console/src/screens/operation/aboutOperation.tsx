import type { OperatorOperation } from "@bursar/api/operator/OperatorOperation"
import type { ReactNode } from "react"
import { Amount } from "../../ui/Amount.tsx"
import { Copied } from "../../ui/Copied.tsx"
import { Facts } from "../../ui/Facts.tsx"
import { receiverFacts } from "./receiverFacts.tsx"

/** Which operation a dialog is about, and whom it pays. */
export const operationFacts = (operation: OperatorOperation): ReadonlyArray<readonly [string, ReactNode]> => [
  ["Operation", operation.kind],
  ["Amount", <Amount money={operation.amount} />],
  ["Of", operation.tenant],
  ...receiverFacts(operation),
  ["Id", <Copied text={operation.id} />]
]

/** What a dialog about an operation says: which one it is, whom it pays, and what becomes of it. Of what else changes in it the dialog says nothing. */
export const aboutOperation = (operation: OperatorOperation, becomes: string): ReactNode => (
  <div className="stack">
    <Facts of={operationFacts(operation)} />
    <span>{becomes}</span>
  </div>
)
