import { products } from "@bursar/api/wire/Quote"
import { useRead } from "../../api/hooks.ts"
import { Action } from "../../ui/Action.tsx"
import { Amount } from "../../ui/Amount.tsx"
import { Badge } from "../../ui/Badge.tsx"
import { Card } from "../../ui/Card.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { Rows } from "../../ui/Rows.tsx"
import { Time } from "../../ui/Time.tsx"

const productOf = (text = "") => products.find((product) => product === text)

const Simulate = ({ id }: { readonly id: string }) => (
  <Action
    label="Simulate a fee"
    preview="What an amount would cost now. Nothing changes."
    ask={[
      { name: "product", label: "Product", options: products },
      { name: "currency", label: "Currency" },
      { name: "amount", label: "Amount" },
      { name: "rail", label: "Rail; of a chain payout its network", optional: true }
    ]}
    does="custody.simulateFee"
    act={({ amount = "", currency = "", product, rail = "" }) =>
      (ask) =>
        ask({
          params: { tenant_id: id },
          query: { amount, currency, product: productOf(product) ?? "SWAP", ...(rail !== "" && { rail }) }
        })
      }
    done={({ fee, of_service: ofService, rule, total }) => (
      <p>
        The fee is <Amount money={fee} />, so the balance falls by <Amount money={total} />.{" "}
        {rule === null
          ? "No rule matches."
          : `${rule.percent} % and at least ${rule.minimum_fee}, by ${ofService ? "the service’s default" : "a rule of the tenant"}.`}
      </p>
    )}
  />
)

const Add = ({ id }: { readonly id: string }) => (
  <Action
    label="Add a fee rule"
    preview="From its date on, it comes before the service’s default rules. Quotes that stand keep their price. What you leave empty matches anything."
    ask={[
      { name: "product", label: "Product", options: products, optional: true },
      { name: "currency", label: "Currency", optional: true },
      { name: "rail", label: "Rail", optional: true },
      { name: "percent", label: "Percent", initial: "0" },
      { name: "minimum", label: "At least", initial: "0" },
      { name: "priority", label: "Priority", initial: "100" },
      { name: "from", label: "Effective from, such as 2026-12-01T00:00:00Z", optional: true }
    ]}
    does="custody.createFeeRule"
    act={({ currency = "", from = "", minimum = "", percent = "", priority = "", product, rail = "" }) =>
      (ask) =>
        ask({
          params: { tenant_id: id },
          payload: {
            product: productOf(product) ?? null,
            currency: currency === "" ? null : currency,
            rail: rail === "" ? null : rail,
            percent,
            minimum_fee: minimum,
            priority: Number(priority),
            ...(from !== "" && { effective_from: from })
          }
        })
      }
  />
)

/** What a tenant is charged by rules of its own. */
export const FeeRules = ({ id }: { readonly id: string }) => {
  const found = useRead(["fee-rules", id], (api) => api.custody.feeRules({ params: { tenant_id: id } }))
  return (
    <Card title="Fee rules">
      <div className="stack">
        <div className="actions">
          <Simulate id={id} />
          <Add id={id} />
        </div>
        <Loaded of={found}>
          {({ fee_rules: rules }) => (
            <Rows
              label="Fee rules"
              rows={rules}
              keyOf={({ id: rule }) => rule}
              empty="It pays what the service’s default rules say."
              columns={[
                { title: "Product", of: ({ product }) => product ?? "any" },
                { title: "Currency", of: ({ currency }) => currency ?? "any" },
                { title: "Rail", of: ({ rail }) => rail ?? "any" },
                { title: "Percent", kind: "amount", of: ({ percent }) => percent },
                { title: "At least", kind: "amount", of: ({ minimum_fee: minimum }) => minimum },
                { title: "Priority", kind: "amount", of: ({ priority }) => priority },
                { title: "From", of: ({ effective_from: at }) => <Time at={at} /> },
                {
                  title: "",
                  of: ({ currency, id: rule, minimum_fee: minimum, percent, product, rail, retired_at: retired }) =>
                    retired === null ? (
                      <Action
                        label="Retire"
                        tone="danger"
                        preview={`It takes ${percent} %, at least ${minimum}, of ${product ?? "any product"}, ${currency ?? "any currency"}, ${rail ?? "any rail"}. It prices nothing any more; existing quotes keep their price.`}
                        does="custody.retireFeeRule"
                        act={() => (ask) => ask({ params: { tenant_id: id, fee_rule_id: rule } })}
                      />
                    ) : (
                      <Badge>retired</Badge>
                    )
                }
              ]}
            />
          )}
        </Loaded>
      </div>
    </Card>
  )
}
