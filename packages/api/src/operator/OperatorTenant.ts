import { signedProducts } from "../annotations/SignedProduct.ts"
import { Schema, Struct } from "effect"
import { TenantKind, TenantStatus } from "../wire/Tenant.ts"
import { Timestamp } from "../wire/Timestamp.ts"
import { DecimalText } from "../wire/Money.ts"
import { Network } from "../wire/Network.ts"
import { Uuid } from "../wire/Uuid.ts"
import { CurrencyText, text } from "../wire/Text.ts"

/** A tenant to create; it starts in ONBOARDING. */
export const CreateTenant = Schema.Struct({
  slug: Schema.String.check(
    Schema.isPattern(/^[a-z][a-z0-9-]{1,62}$/u, { expected: "a slug of lower-case letters, digits and hyphens" })
  ),
  name: text(200),
  kind: TenantKind
}).annotate({ identifier: "CreateTenant", examples: [{ slug: "acme", name: "Acme Payments", kind: "SANDBOX" }] })
/** A tenant to create. */
export type CreateTenant = typeof CreateTenant.Type

/** The settings of a tenant. */
const TenantSettings = Schema.Struct({
  ip_allowlist: Schema.NullOr(Schema.Array(Schema.String)),
  tenant_ceiling_per_minute: Schema.NullOr(Schema.Int),
  credit_sources: Schema.Array(Schema.String),
  credit_historical: Schema.Boolean,
  address_proof_required: Schema.Boolean,
  signatures_required: Schema.Array(Schema.String),
  hold_on_issuance: Schema.Boolean,
  hold_on_import: Schema.Boolean,
  hold_on_arrival: Schema.Boolean,
  withdrawals_enabled: Schema.Boolean,
  withdrawal_limit_usd: DecimalText,
  withdrawal_window_hours: Schema.Int,
  withdrawal_review_usd: Schema.NullOr(DecimalText),
  destination_cooling_hours: Schema.Int,
  slippage_bps: Schema.Int,
  payouts_enabled: Schema.Boolean,
  payouts_off_on: Schema.Array(Schema.String),
  payout_limit_usd: Schema.NullOr(DecimalText),
  payout_daily_limit_usd: Schema.NullOr(DecimalText),
  payout_new_address_limit_usd: Schema.NullOr(DecimalText),
  payout_review_usd: Schema.NullOr(DecimalText),
  payout_minimums: Schema.Record(Schema.String, DecimalText),
  adjustment_review_usd: Schema.NullOr(DecimalText)
}).annotate({ identifier: "TenantSettings" })

/** The changes to a tenant's settings; a field left out stays as it is. */
export const ChangeTenantSettings = Schema.Struct({
  ip_allowlist: Schema.optionalKey(
    Schema.NullOr(Schema.Array(text(64)).check(Schema.isMaxLength(500))).annotate({
      description: "Addresses or CIDR blocks that may call; null allows all, an empty list none."
    })
  ),
  tenant_ceiling_per_minute: Schema.optionalKey(
    Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })))
  ),
  credit_sources: Schema.optionalKey(
    Schema.Array(text(64)).check(Schema.isMaxLength(16)).annotate({
      description: "The address sources whose deposits are credited."
    })
  ),
  credit_historical: Schema.optionalKey(Schema.Boolean),
  address_proof_required: Schema.optionalKey(Schema.Boolean).annotate({
    description:
      "Whether deposits to addresses with the tenant's own keys count only after the tenant has proven the addresses."
  }),
  signatures_required: Schema.optionalKey(
    Schema.Array(Schema.Literals(signedProducts)).check(Schema.isMaxLength(signedProducts.length), Schema.isUnique())
  ).annotate({
    description: "What needs a signature of the tenant beside chain payouts and imports of keys; replaces the list."
  }),
  hold_on_issuance: Schema.optionalKey(Schema.Boolean).annotate({
    description: "Whether issued addresses start with a hold on sweeping."
  }),
  hold_on_import: Schema.optionalKey(Schema.Boolean).annotate({
    description: "Whether addresses of imported keys start with a hold on sweeping."
  }),
  hold_on_arrival: Schema.optionalKey(Schema.Boolean).annotate({
    description: "Whether a deposit puts a hold on the sweeping of its address until the tenant has seen it."
  }),
  withdrawals_enabled: Schema.optionalKey(Schema.Boolean),
  withdrawal_limit_usd: Schema.optionalKey(DecimalText).annotate({
    description: "What may be withdrawn within the window."
  }),
  withdrawal_window_hours: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 720 }))),
  withdrawal_review_usd: Schema.optionalKey(Schema.NullOr(DecimalText)).annotate({
    description: "From this value on, a withdrawal waits for an operator; null for never."
  }),
  destination_cooling_hours: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 720 }))
  ).annotate({
    description: "The waiting time of a destination after its verification."
  }),
  payouts_enabled: Schema.optionalKey(Schema.Boolean),
  payouts_off_on: Schema.optionalKey(
    Schema.Array(Network).annotate({ description: "Networks on which the tenant's chain payouts are switched off." })
  ),
  payout_limit_usd: Schema.optionalKey(Schema.NullOr(DecimalText)).annotate({
    description: "The limit per payout, on a chain or to a bank account; null for none."
  }),
  payout_daily_limit_usd: Schema.optionalKey(Schema.NullOr(DecimalText)).annotate({
    description: "The limit over 24 hours, for chains and bank accounts together; null for none."
  }),
  payout_new_address_limit_usd: Schema.optionalKey(Schema.NullOr(DecimalText)).annotate({
    description:
      "The limit over 24 hours to addresses and accounts that were first paid within these 24 hours; null for none."
  }),
  payout_review_usd: Schema.optionalKey(Schema.NullOr(DecimalText)).annotate({
    description: "From this value on, a payout waits for an operator; null for never."
  }),
  payout_minimums: Schema.optionalKey(
    Schema.Record(CurrencyText, DecimalText).annotate({
      description:
        "The minimum payout or withdrawal per currency, in that currency; replaces the map. Other currencies keep their own minimum."
    })
  ),
  adjustment_review_usd: Schema.optionalKey(Schema.NullOr(DecimalText)).annotate({
    description: "From this value on, over 24 hours, float adjustments need another operator; null for never."
  }),
  slippage_bps: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))).annotate({
    description: "The slippage allowance of quotes, in hundredths of a percent; 0 makes quotes fixed prices."
  }),
  instead_of: Schema.optionalKey(TenantSettings.mapFields(Struct.map(Schema.optionalKey))).annotate({
    description:
      "What the settings were that you change. If one of them is neither that by now nor what you set, another operator has changed it, and nothing is changed (`state_conflict`). Lists and maps are replaced: send it with them."
  })
}).annotate({
  identifier: "ChangeTenantSettings",
  examples: [{ ip_allowlist: ["203.0.113.0/24"], tenant_ceiling_per_minute: 1200 }]
})
/** The changes to a tenant's settings. */
export type ChangeTenantSettings = typeof ChangeTenantSettings.Type

/** A tenant as operators see it. */
export const OperatorTenant = Schema.Struct({
  id: Uuid,
  slug: Schema.String,
  name: Schema.String,
  kind: TenantKind,
  status: TenantStatus,
  problem: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "Which settings cannot be read, for somebody has changed the row: their defaults are shown, and they need not be what is agreed. Left out where all can be read."
    })
  ),
  settings: TenantSettings,
  created_at: Timestamp
}).annotate({ identifier: "OperatorTenant" })
/** A tenant as operators see it. */
export type OperatorTenant = typeof OperatorTenant.Type

/** A tenant whose row cannot be read: somebody has changed it. */
export const UnreadableTenant = Schema.Struct({
  id: Uuid,
  problem: Schema.String.annotate({ description: "Why its row cannot be read." })
}).annotate({ identifier: "UnreadableTenant" })

/** Why a tenant is suspended, or activated again. */
export const SwitchTenant = Schema.Struct({ reason: Schema.optionalKey(text(500)) }).annotate({
  identifier: "SwitchTenant",
  examples: [{ reason: "The partner has a new key, see ticket 12." }]
})

/** Every tenant. */
export const OperatorTenantList = Schema.Struct({
  tenants: Schema.Array(OperatorTenant),
  unreadable: Schema.Array(UnreadableTenant).annotate({
    description:
      "Tenants whose rows cannot be read. They can do nothing until their rows are repaired. One of which only settings cannot be read stands among the tenants as well."
  })
}).annotate({ identifier: "OperatorTenantList" })
/** Every tenant. */
export type OperatorTenantList = typeof OperatorTenantList.Type
