import type { OperatorOperation } from "@bursar/api/operator/OperatorOperation"
import { Amount } from "../../ui/Amount.tsx"
import { Copied } from "../../ui/Copied.tsx"
import { Facts } from "../../ui/Facts.tsx"
import { receiverFacts } from "./receiverFacts.tsx"

interface Props {
  readonly operation: OperatorOperation
}

const Swapped = ({ operation: { amount, id, provider, tenant, to_amount_quoted: quoted } }: Props) => (
  <div className="stack">
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
    <Facts of={[["Operation", <Copied text={id} />]]} />
  </div>
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
      <Facts
        of={[
          ...(operation.receiver === null
            ? [["Receiver", "its record names none"] as const]
            : receiverFacts(operation)),
          ["Operation", <Copied text={operation.id} />]
        ]}
      />
      <span>Your name is recorded.</span>
    </div>
  )
