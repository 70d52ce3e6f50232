import type { OperatorOperationPage } from "@bursar/api/operator/OperatorOperation"
import { printable } from "@bursar/api/wire/printable"
import { Console, Effect } from "effect"

/** Names the operations that a list lacks because the server cannot read them, beside what is printed. */
export const tellUnreadable = (unreadable: OperatorOperationPage["unreadable"]): Effect.Effect<void> =>
  Effect.forEach(
    unreadable,
    (one) => {
      const which = printable(`${one.kind} ${one.status} ${one.id} of ${one.tenant}`)
      return Console.error(`${which} cannot be read: ${printable(one.problem)}. If a newer release wrote it, upgrade.`)
    },
    { discard: true }
  )
