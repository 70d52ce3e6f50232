import { againstAccounts } from "@bursar/api/operator/againstAccounts"
import type { OperatorAdjustment } from "@bursar/api/operator/OperatorFloat"
import { Link } from "wouter"
import { useRead } from "../../api/hooks.ts"
import { Action } from "../../ui/Action.tsx"
import { Amount } from "../../ui/Amount.tsx"
import { Badge } from "../../ui/Badge.tsx"
import { Card } from "../../ui/Card.tsx"
import { Facts } from "../../ui/Facts.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { Rows } from "../../ui/Rows.tsx"
import { Time } from "../../ui/Time.tsx"

interface Deciding {
  /** The tenant. */
  readonly id: string
  readonly adjustment: OperatorAdjustment
}

const againstOf = (text = "") => againstAccounts.find((account) => account === text)

const Adjust = ({ id }: { readonly id: string }) => (
  <Action
    label="Adjust"
    preview="The float changes by the amount, or, where you say from where, value moves between places and the float stays. Above the tenant’s threshold another operator approves it."
    ask={[
      { name: "currency", label: "Currency" },
      { name: "amount", label: "Amount, below zero to take away" },
      { name: "against", label: "Place", options: againstAccounts },
      { name: "from", label: "Moved from (only for a move)", options: againstAccounts, optional: true },
      { name: "corrects", label: "Operation that it corrects (only at a custodian or bank)", optional: true },
      { name: "reason", label: "Reason", kind: "text" }
    ]}
    does="floats.adjust"
    act={({ against, amount = "", corrects = "", currency = "", from, reason = "" }, key) =>
      (ask) => {
        const moved = againstOf(from)
        return ask({
          params: { tenant_id: id },
          headers: { "idempotency-key": key },
          payload: {
            amount,
            currency,
            reason,
            against: againstOf(against) ?? "suspense",
            ...(moved !== undefined && { from: moved }),
            ...(corrects !== "" && { corrects })
          }
        })
      }}
    done={({ state }) => (state === "booked" ? null : "It waits for another operator.")}
  />
)

/** The arrival that a correction gives away, whole: two ids can begin and end alike. */
const arrivalOf = (id: string, { assigns }: OperatorAdjustment) =>
  assigns === null ? null : <Link href={`/operations/${id}/${assigns}`}>{assigns}</Link>

/** The operation of which a correction puts right what was booked. */
const correctedOf = (id: string, { corrects }: OperatorAdjustment) =>
  corrects === null ? null : <Link href={`/operations/${id}/${corrects}`}>{corrects}</Link>

/**
 * What a correction books: a move leaves the float as it is, and takes from one place what it gives to another. Which arrival it assigns says whose
 * money it gives, so whoever approves it sees that.
 */
const What = ({ adjustment, id }: Deciding) => {
  const { against, amount, from, reason } = adjustment
  return (
    <Facts
      of={[
        from === null ? ["The float changes by", <Amount money={amount} />] : ["It moves", <Amount money={amount} />],
        ["From", from],
        [from === null ? "Against" : "To", against],
        ["Assigns", arrivalOf(id, adjustment)],
        ["Corrects", correctedOf(id, adjustment)],
        ["Reason", <Foreign text={reason} />]
      ]}
    />
  )
}

const Decide = ({ adjustment, id }: Deciding) => {
  const params = { tenant_id: id, adjustment_id: adjustment.id }
  return adjustment.state === "PROPOSED" ? (
    <div className="actions">
      <Action
        label="Approve"
        tone="primary"
        preview={
          <div className="stack">
            <What id={id} adjustment={adjustment} />
            <span>{adjustment.proposed_by} has proposed it, so another operator approves it.</span>
          </div>
        }
        hotkey="a"
        does="floats.approve"
        act={() => (ask) => ask({ params })}
      />
      <Action
        label="Reject"
        tone="danger"
        preview={
          <div className="stack">
            <span>Nothing is booked.</span>
            <What id={id} adjustment={adjustment} />
          </div>
        }
        ask={[{ name: "reason", label: "Reason", kind: "text" }]}
        does="floats.reject"
        act={({ reason = "" }) =>
          (ask) =>
            ask({ params, payload: { reason } })
          }
      />
    </div>
  ) : (
    <Badge>{adjustment.state}</Badge>
  )
}

/** Corrections of a tenant's float: proposed, booked and rejected. */
export const Adjustments = ({ id }: { readonly id: string }) => {
  const found = useRead(["adjustments", id], (api) => api.floats.adjustments({ params: { tenant_id: id } }))
  return (
    <Card title="Adjustments">
      <div className="stack">
        <div className="actions">
          <Adjust id={id} />
        </div>
        <Loaded of={found}>
          {({ adjustments }) => (
            <Rows
              label="Adjustments"
              rows={adjustments}
              keyOf={({ id: adjustment }) => adjustment}
              empty="None waits for another operator, and none has."
              columns={[
                { title: "Proposed", of: ({ created_at: at }) => <Time at={at} /> },
                { title: "By", of: ({ proposed_by: by }) => by },
                { title: "Amount", kind: "amount", of: ({ amount }) => <Amount money={amount} /> },
                { title: "Place", of: ({ against, from }) => (from === null ? against : `${from} → ${against}`) },
                { title: "Assigns", kind: "wrap", of: (adjustment) => arrivalOf(id, adjustment) },
                { title: "Corrects", kind: "wrap", of: (adjustment) => correctedOf(id, adjustment) },
                { title: "Reason", kind: "wrap", of: ({ reason }) => <Foreign text={reason} /> },
                { title: "", of: (adjustment) => <Decide id={id} adjustment={adjustment} /> }
              ]}
            />
          )}
        </Loaded>
      </div>
    </Card>
  )
}
