import { Effect } from "effect"
import { Command } from "effect/cli"
import { moneyText } from "./money.ts"
import { connectionFlags, openTenant, tenantArgument } from "./operator.ts"
import { pageAsked, pageFlags, tellMore } from "./paging.ts"
import { printRows } from "./print.ts"

const list = Command.make(
  "list",
  { ...connectionFlags, tenant: tenantArgument, ...pageFlags },
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const query = pageAsked(options)
    const { balances, entries, next_cursor, shortfalls } = yield* client.suspense.list({ params, query })
    if (options.json) return yield* printRows(true, [{ balances, shortfalls, entries, next_cursor }], "")
    const rows = entries.map(
      ({
        account,
        amount,
        assigned,
        direction,
        from_address,
        memo,
        operation_id,
        paid_to,
        posted_at,
        reason,
        tx_hash
      }) => ({
        posted_at,
        account,
        amount: `${direction === "in" ? "" : "-"}${moneyText(amount)}`,
        paid_to,
        memo,
        from: from_address,
        tx_hash,
        reason,
        operation: operation_id,
        assigned_by: assigned === null ? null : (assigned.operation_id ?? assigned.adjustment_id)
      })
    )
    yield* printRows(
      false,
      balances.map((one) => ({ stands_there: moneyText(one) })),
      "Nothing stands in suspense."
    )
    if (shortfalls.length > 0)
      yield* printRows(
        false,
        shortfalls.map(({ amount, place }) => ({ left_unbooked: moneyText(amount), place })),
        ""
      )
    if (rows.length > 0) yield* printRows(false, rows, "")
    return yield* tellMore(next_cursor)
  })
).pipe(
  Command.withDescription(
    "Show funds that arrived for nobody, and funds that left unexplained, with the lines, newest first"
  ),
  Command.withExamples([
    { command: "bursar suspense list acme", description: "See funds that need an owner" },
    {
      command:
        'bursar float adjust acme XLM --add 25 --against suspense --assigns <operation> --reason "Paid without a memo, see ticket 7"',
      description: "Credit it to the tenant, once"
    },
    {
      command:
        'bursar float move acme USDC_BASE --amount 25 --from payout_wallet --to custodian --reason "Sent there on 3 March"',
      description: "Explain funds that left the custodian unexplained"
    }
  ])
)

/** What arrived and cannot be given to anybody. */
export const suspenseCommand = Command.make("suspense").pipe(
  Command.withDescription("Funds that arrived for nobody, and funds that left unexplained"),
  Command.withSubcommands([list])
)
