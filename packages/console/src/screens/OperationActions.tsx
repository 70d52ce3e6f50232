import type { OperatorOperationDetail } from "@bursar/api/operator/OperatorOperation"
import { Action } from "../ui/Action.tsx"
import { Resolve } from "./Resolutions.tsx"
import { Foreign } from "../ui/Foreign.tsx"
import { Facts } from "../ui/Facts.tsx"
import { aboutOperation } from "./operation/aboutOperation.tsx"
import { WillLeave } from "./operation/WillLeave.tsx"

/** Statuses after which nothing becomes of an operation any more. */
const over: ReadonlySet<string> = new Set(["SETTLED", "FAILED", "RETURNED"])

/** Closes what contradicts an operation: what the dialog showed when it was opened. */
const CloseContradiction = ({ operation }: { readonly operation: OperatorOperationDetail }) => {
  const { contradiction, id, tenant_id } = operation
  return contradiction === null ? null : (
    <Action
      label="Close the contradiction"
      preview={
        <div className="stack">
          {aboutOperation(
            operation,
            "You say that this is dealt with. It is recorded under your name, and nothing moves. If something else is said later, the operation is contradicted again."
          )}
          <Facts of={[["Was said", <Foreign text={contradiction.said} />]]} />
        </div>
      }
      ask={[{ name: "reason", label: "What was found out and done?", kind: "text" }]}
      does="operations.closeContradiction"
      act={({ reason = "" }) =>
        (ask) =>
          ask({
            params: { tenant_id, operation_id: id },
            payload: { contradiction: contradiction.id, reason }
          })
        }
    />
  )
}

/** What an operator can do about an operation as it stands. What the service refuses all the same, it explains. */
export const OperationActions = ({ operation }: { readonly operation: OperatorOperationDetail }) => {
  const { id, kind, status } = operation
  const params = { tenant_id: operation.tenant_id, operation_id: id }
  const ofPayout = { tenant_id: operation.tenant_id, payout_id: id }
  const isOver = over.has(status)
  const isPayout = kind === "CHAIN_PAYOUT"
  return (
    <div className="actions">
      {status === "IN_REVIEW" ? (
        <>
          <Action
            label="Approve"
            tone="primary"
            preview={<WillLeave operation={operation} />}
            hotkey="a"
            does="reviews.approve"
            act={() => (ask) => ask({ params })}
          />
          <Action
            label="Reject"
            tone="danger"
            preview={aboutOperation(operation, "It fails, and what is held becomes available again.")}
            ask={[{ name: "reason", label: "Reason", kind: "text" }]}
            does="reviews.reject"
            act={({ reason = "" }) =>
              (ask) =>
                ask({ params, payload: { reason } })
              }
          />
        </>
      ) : null}
      {isPayout && !isOver && operation.attempts.length > 0 ? (
        <>
          <Action
            label="Send again"
            preview={aboutOperation(operation, "The same signed bytes go to a node again. It cannot pay twice.")}
            does="payouts.rebroadcast"
            act={() => (ask) => ask({ params: ofPayout })}
          />
          <Action
            label="Raise the fee"
            preview={aboutOperation(
              operation,
              "Another transaction with the same nonce and a higher fee is signed. The chain accepts only one of them."
            )}
            does="payouts.bump"
            act={() => (ask) => ask({ params: ofPayout })}
          />
        </>
      ) : null}
      {isOver ? null : (
        <Action
          label="Cancel the operation"
          tone="danger"
          preview={aboutOperation(
            operation,
            "If nothing was sent, it fails and its hold is released. If a payout was signed, a replacement is broadcast, and the chain decides which of the two counts."
          )}
          does="operations.cancel"
          act={() => (ask) => ask({ params })}
          done={({ state }) =>
            state === "cancelled" ? null : "A replacement is on its way. The chain decides which of the two counts."
          }
        />
      )}
      {operation.unresolved ? <Resolve operation={operation} /> : null}
      <CloseContradiction operation={operation} />
      <Action
        label="Add evidence"
        preview={aboutOperation(
          operation,
          "It is recorded under your name. If you name a transaction, the service asks the chain about it. The status does not change."
        )}
        ask={[
          { name: "note", label: "What do you know?", kind: "text" },
          { name: "tx_hash", label: "Transaction (optional)", optional: true }
        ]}
        does="operations.attachEvidence"
        act={({ note = "", tx_hash: hash = "" }) =>
          (ask) =>
            ask({ params, payload: { note, ...(hash !== "" && { tx_hash: hash }) } })
          }
      />
    </div>
  )
}
