import { Effect, Schema } from "effect"
import type { Api } from "../internal/Api.ts"
import { DecimalText, MaybeText, pages, textOf } from "../internal/wire.ts"

const Row = Schema.Struct({
  uuid: Schema.String,
  currency: Schema.String,
  type: MaybeText,
  default: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
  available_balance: Schema.Struct({ value: DecimalText }),
  hold: Schema.Struct({ value: DecimalText })
})
const Page = Schema.Struct({ accounts: Schema.Array(Row), has_next: Schema.Boolean, cursor: MaybeText })

const pageSize = 250

/** What nothing can be sent from: vaults, whose withdrawals wait for days and for approvals, and what backs futures. */
const locked = new Set(["ACCOUNT_TYPE_VAULT", "ACCOUNT_TYPE_PERP_FUTURES"])

/** The accounts of coinbase that can be sent from, of which a coin may have several: those first that are the default of their coin. */
export const accounts = (api: Api) =>
  Effect.map(
    pages<typeof Row.Type, string>("", (cursor) =>
      Effect.map(
        api.call("v3PrivateGetBrokerageAccounts", { limit: pageSize, ...(cursor === "" ? {} : { cursor }) }, Page),
        (page) => ({ rows: page.accounts, next: page.has_next ? textOf(page.cursor) : null })
      )
    ),
    (rows) =>
      rows
        .filter(({ type }) => type == null || !locked.has(type))
        .toSorted((one, other) => Number(other.default === true) - Number(one.default === true))
  )
