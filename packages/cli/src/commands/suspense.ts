import { Effect } from "effect"
import { Command } from "effect/cli"
import { moneyText } from "./money.ts"
import { connectionFlags, openTenant, tenantArgument } from "./operator.ts"
import { printRows } from "./print.ts"

const list = Command.make(
  "list",
  { ...connectionFlags, tenant: tenantArgument },
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const { balances, entries } = yield* client.suspense.list({ params })
    if (options.json) return yield* printRows(true, [{ balances, entries }], "")
    const rows = entries.map(
      ({ amount, direction, from_address, memo, operation_id, paid_to, posted_at, reason, tx_hash }) => ({
        posted_at,
        amount: `${direction === "in" ? "" : "-"}${moneyText(amount)}`,
        paid_to,
        memo,
        from: from_address,
        tx_hash,
        reason,
        operation: operation_id
      })
    )
    yield* printRows(
      false,
      balances.map((one) => ({ stands_there: moneyText(one) })),
      "Nothing stands in suspense."
    )
    return rows.length === 0 ? undefined : yield* printRows(false, rows, "")
  })
).pipe(
  Command.withDescription("What arrived and is for nobody, with the newest lines of each currency"),
  Command.withExamples([
    { command: "bursar suspense list acme", description: "See what has to be given to somebody" },
    {
      command: 'bursar float adjust acme XLM --add 25 --against suspense --reason "Paid without a memo, see ticket 7"',
      description: "Give it to the tenant"
    }
  ])
)

/** What arrived and cannot be given to anybody. */
export const suspenseCommand = Command.make("suspense").pipe(
  Command.withDescription("What arrived and is for nobody"),
  Command.withSubcommands([list])
)
