import {
  feeBearers,
  type OperatorOperationDetail,
  type OperatorResolution,
  resolutionBases,
  resolutionOutcomes
} from "@bursar/api/operator/OperatorOperation"
import { Effect } from "effect"
import { Untouched } from "../api/Untouched.ts"
import { About } from "../ui/About.tsx"
import { Action } from "../ui/Action.tsx"
import { Amount } from "../ui/Amount.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Card } from "../ui/Card.tsx"
import { Copied } from "../ui/Copied.tsx"
import { Facts } from "../ui/Facts.tsx"
import { Foreign } from "../ui/Foreign.tsx"
import type { Asked } from "../ui/Question.tsx"
import { Rows } from "../ui/Rows.tsx"
import { Time } from "../ui/Time.tsx"
import { aboutOperation, operationFacts } from "./operation/aboutOperation.tsx"
import { networkFeeOf } from "./networkFeeOf.ts"

/** What is asked of a withdrawal alone, which the network takes a fee for. */
const feeQuestions = ({ amount, kind }: OperatorOperationDetail): ReadonlyArray<Asked> =>
  kind === "WITHDRAWAL"
    ? [
        { name: "fee", label: "Network fee", optional: true },
        { name: "fee_currency", label: "Currency of the fee", optional: true, initial: amount.currency },
        { name: "borne_by", label: "Who paid the fee", options: feeBearers, optional: true }
      ]
    : []

const halfAFee = new Untouched("network_fee", "Say both what the network took and who paid it, or neither.")

const moneyOf = (amount = "", currency = "") => (amount === "" ? {} : { received: { amount, currency } })

/** Says what became of an operation that its provider does not answer for. */
export const Resolve = ({ operation }: { readonly operation: OperatorOperationDetail }) => (
  <Action
    label="Resolve"
    preview={aboutOperation(
      operation,
      "You say what became of it and who says so. Nothing moves until another operator has approved that, or enough approvers have granted it."
    )}
    ask={[
      { name: "outcome", label: "Outcome", options: resolutionOutcomes },
      { name: "basis", label: "Stands on", options: resolutionBases },
      { name: "reference", label: "Where it can be looked up" },
      { name: "source", label: "Who says so" },
      { name: "statement", label: "What was said", kind: "text" },
      { name: "provider_reference", label: "The provider’s id of the order", optional: true },
      { name: "tx_hash", label: "Transaction", optional: true },
      { name: "amount", label: "Amount that arrived", optional: true },
      { name: "currency", label: "Currency of it", optional: true, initial: operation.amount.currency },
      ...feeQuestions(operation)
    ]}
    does="operations.resolve"
    act={({ amount, basis, currency, outcome, provider_reference: order = "", tx_hash: hash = "", ...said }) =>
      (ask) =>
        Effect.gen(function* () {
          const fee = networkFeeOf(said)
          if (fee === null) return yield* Effect.fail(halfAFee)
          return yield* ask({
            params: { tenant_id: operation.tenant_id, operation_id: operation.id },
            payload: {
              outcome: resolutionOutcomes.find((one) => one === outcome) ?? "FAILED",
              basis: resolutionBases.find((one) => one === basis) ?? "PROVIDER",
              reference: said["reference"] ?? "",
              source: said["source"] ?? "",
              statement: said["statement"] ?? "",
              ...(order !== "" && { provider_reference: order }),
              ...(hash !== "" && { tx_hash: hash }),
              ...moneyOf(amount, currency),
              ...fee
            }
          })
        })
      }
  />
)

/** All that a resolution says: the ledger is booked by each of these. */
const What = ({ resolution }: { readonly resolution: OperatorResolution }) => (
  <Facts
    of={[
      ["It becomes", `${resolution.outcome} (${resolution.basis})`],
      ["Received", resolution.received === null ? "not said" : <Amount money={resolution.received} />],
      [
        "Network fee",
        resolution.network_fee === null ? null : (
          <>
            <Amount money={resolution.network_fee} />, borne by {resolution.network_fee_borne_by}
          </>
        )
      ],
      ["Provider’s reference", resolution.provider_reference && <Copied text={resolution.provider_reference} />],
      ["Transaction", resolution.tx_hash && <Copied text={resolution.tx_hash} />],
      ["Says who", <Foreign text={resolution.source} />],
      ["Looked up at", <Foreign text={resolution.reference} />],
      ["What was said", <Foreign text={resolution.statement} />]
    ]}
  />
)

const Decide = ({ resolution, tenant }: { readonly tenant: string; readonly resolution: OperatorResolution }) => {
  const params = { tenant_id: tenant, operation_id: resolution.operation_id, resolution_id: resolution.id }
  return resolution.state === "PROPOSED" ? (
    <div className="actions">
      <Action
        label="Approve"
        tone="primary"
        preview={
          <div className="stack">
            <span>
              The ledger is booked so. {resolution.proposed_by} has proposed it, so another operator approves it.
            </span>
            <What resolution={resolution} />
          </div>
        }
        hotkey="a"
        does="operations.approveResolution"
        act={() => (ask) => ask({ params })}
      />
      <Action
        label="Reject"
        tone="danger"
        preview={
          <div className="stack">
            <span>Nothing moves. It can be proposed again.</span>
            <What resolution={resolution} />
          </div>
        }
        ask={[{ name: "reason", label: "Reason", kind: "text" }]}
        does="operations.rejectResolution"
        act={({ reason = "" }) =>
          (ask) =>
            ask({ params, payload: { reason } })
          }
      />
    </div>
  ) : (
    <Badge>{resolution.state}</Badge>
  )
}

/** What operators have said became of an operation. */
export const Resolutions = ({ operation }: { readonly operation: OperatorOperationDetail }) =>
  operation.resolutions.length === 0 ? null : (
    <About of={operationFacts(operation)}>
      <Card title="Resolutions">
        <Rows
          label="Resolutions"
          rows={operation.resolutions}
          keyOf={({ id }) => id}
          empty=""
          columns={[
            { title: "Proposed", of: ({ created_at: at }) => <Time at={at} /> },
            { title: "By", of: ({ proposed_by: by }) => by },
            { title: "Outcome", of: ({ basis, outcome }) => `${outcome} (${basis})` },
            {
              title: "Says",
              kind: "wrap",
              of: ({ reference, source, statement }) => <Foreign text={`${source}, ${reference}: ${statement}`} />
            },
            { title: "Received", kind: "amount", of: ({ received }) => <Amount money={received} /> },
            { title: "", of: (resolution) => <Decide tenant={operation.tenant_id} resolution={resolution} /> }
          ]}
        />
      </Card>
    </About>
  )
