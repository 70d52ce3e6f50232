import { Effect, Schema } from "effect"
import type { Api } from "../internal/Api.ts"
import { DecimalText, MaybeText, pages, textOf } from "../internal/wire.ts"

const Row = Schema.Struct({
  uuid: Schema.String,
  currency: Schema.String,
  available_balance: Schema.Struct({ value: DecimalText }),
  hold: Schema.Struct({ value: DecimalText })
})
const Page = Schema.Struct({ accounts: Schema.Array(Row), has_next: Schema.Boolean, cursor: MaybeText })

const pageSize = 250

/** The accounts of coinbase: one for each coin. */
export const accounts = (api: Api) =>
  pages<typeof Row.Type, string>("", (cursor) =>
    Effect.map(
      api.call("v3PrivateGetBrokerageAccounts", { limit: pageSize, ...(cursor === "" ? {} : { cursor }) }, Page),
      (page) => ({ rows: page.accounts, next: page.has_next ? textOf(page.cursor) : null })
    )
  )
