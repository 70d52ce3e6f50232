import { Effect } from "effect"
import type { Random } from "../kernel/Random.ts"
import type { World } from "../world/World.ts"
import type { Asker } from "./meaning.ts"

/** Somebody pays to an account of one of a partner's customers, where there is one. */
export const payToAccount = (
  { clients, index }: Asker,
  { bank, note, random }: Pick<World, "bank" | "note"> & { readonly random: Random }
): Effect.Effect<void> =>
  Effect.sync(() => {
    const accounts = bank.accounts
      .all()
      .filter(({ reference }) => clients.some(({ accountId }) => accountId === reference))
    const account = accounts[random.below(accounts.length)]
    if (account === undefined) return
    const units = BigInt(1_000 + random.below(50_000))
    bank.accounts.pay(account, units)
    note(`somebody pays ${units} to an account of partner ${index}`)
  })
