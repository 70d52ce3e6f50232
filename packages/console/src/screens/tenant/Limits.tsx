import type { TenantLimits } from "@bursar/api/operator/TenantLimits"
import { useRead } from "../../api/hooks.ts"
import { Card } from "../../ui/Card.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { Rows } from "../../ui/Rows.tsx"

const Used = ({ of, what }: { readonly of: TenantLimits["payouts"]; readonly what: string }) =>
  of.limit_usd === null || Number(of.limit_usd) === 0 ? null : (
    <progress aria-label={`Used of ${what}`} value={Number(of.used_usd)} max={Number(of.limit_usd)} />
  )

/** What a tenant may pay out and withdraw, and how much of that it has used. */
export const Limits = ({ id }: { readonly id: string }) => {
  const found = useRead(["limits", id], (api) => api.tenants.limits({ params: { tenant_id: id } }))
  return (
    <Card title="Limits">
      <Loaded of={found}>
        {({ payouts, payouts_to_new_receivers: toNew, withdrawals }) => (
          <Rows
            label="Limits"
            rows={[
              { what: "payouts", of: payouts },
              { what: "payouts to new receivers", of: toNew },
              { what: "withdrawals", of: withdrawals }
            ]}
            keyOf={({ what }) => what}
            empty=""
            columns={[
              { title: "Of", of: ({ what }) => what },
              { title: "Within", of: ({ of }) => `${of.window_hours} hours` },
              { title: "At most, USD", kind: "amount", of: ({ of }) => of.limit_usd ?? "no limit" },
              { title: "Used, USD", kind: "amount", of: ({ of }) => of.used_usd },
              { title: "Left, USD", kind: "amount", of: ({ of }) => of.remaining_usd ?? "–" },
              { title: "", of: ({ of, what }) => <Used of={of} what={what} /> }
            ]}
          />
        )}
      </Loaded>
    </Card>
  )
}
