import type { OperatorTenant } from "@bursar/api/operator/OperatorTenant"
import { Action } from "../../ui/Action.tsx"
import { Card } from "../../ui/Card.tsx"

/** What helps to try a SANDBOX tenant: money that is not real. */
export const Sandbox = ({ tenant: { id, kind } }: { readonly tenant: OperatorTenant }) =>
  kind === "SANDBOX" ? (
    <Card title="Try it">
      <div className="stack">
        <p className="muted">
          Its money is not real. Give it some, make it an API key, then pay out: the wallet needs coin of the test
          network.
        </p>
        <div className="actions">
          <Action
            label="Give it test money"
            preview="Its float grows by the amount, booked against suspense. Above its threshold another operator approves it."
            ask={[
              { name: "currency", label: "Currency", initial: "USDT_ETH" },
              { name: "amount", label: "Amount", initial: "1000" }
            ]}
            does="floats.adjust"
            act={({ amount = "", currency = "" }, key) =>
              (ask) =>
                ask({
                  params: { tenant_id: id },
                  headers: { "idempotency-key": key },
                  payload: { amount, currency, against: "suspense", reason: "Test money for a sandbox tenant." }
                })
              }
            done={({ state }) => (state === "booked" ? null : "It waits for another operator.")}
          />
        </div>
      </div>
    </Card>
  ) : null
