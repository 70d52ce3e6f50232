import type { OperatorOperation } from "@bursar/api/operator/OperatorOperation"
import { Amount } from "../../ui/Amount.tsx"
import { Facts } from "../../ui/Facts.tsx"
import { receiverFacts } from "./receiverFacts.tsx"

interface Props {
  readonly operation: OperatorOperation
}

const Swapped = ({ operation: { amount, provider, tenant, to_amount_quoted: quoted } }: Props) => (
  <span>
    <Amount money={amount} /> of {tenant} will be swapped by {provider ?? "its provider"}
    {quoted === null ? null : (
      <>
        {" "}
        for about <Amount money={quoted} />
      </>
    )}
    . Your name is recorded.
  </span>
)

/** What an approval lets happen: whoever confirms it has read who is paid. */
export const WillLeave = ({ operation }: Props) =>
  operation.kind === "SWAP" ? (
    <Swapped operation={operation} />
  ) : (
    <div className="stack">
      <span>
        <Amount money={operation.amount} /> of {operation.tenant} will leave to:
      </span>
      <Facts of={operation.receiver === null ? [["Receiver", "its record names none"]] : receiverFacts(operation)} />
      <span>Your name is recorded.</span>
    </div>
  )
