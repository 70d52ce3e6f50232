import { Effect } from "effect"
import { ask } from "../ask.ts"
import { settledBy } from "../outcome.ts"
import type { Chapter, Scene } from "../Scene.ts"
import { SceneFailed } from "../SceneFailed.ts"

const amount = { amount: "100", currency: "USDC_BASE" }

const withdrawal: Scene = {
  name: "to the treasury",
  play: (world, reached) =>
    Effect.gen(function* () {
      const { client, run } = world
      const destinations = yield* ask("client.withdrawals.destinations", (signal) =>
        client.withdrawals.destinations({ signal })
      )
      const treasury = destinations.find(({ currency, verified }) => verified && currency === amount.currency)
      if (treasury === undefined) {
        return yield* new SceneFailed({ message: `there is no verified destination for ${amount.currency}` })
      }
      const { customer_fee, id } = yield* ask("client.withdrawals.create", (signal) =>
        client.withdrawals.create({ amount, partner_reference: `treasury-${run}` }, { signal })
      )
      yield* reached(`accepted, fee ${customer_fee.amount}`)
      const { operation } = yield* settledBy(world, reached, {
        id,
        kind: "withdrawal",
        read: (signal) => client.withdrawals.get(id, { signal })
      })
      return `${amount.amount} ${amount.currency} to ${treasury.label}, ${operation.tx_hash?.slice(0, 12)}…`
    })
}

/** A withdrawal to the partner's own address. */
export const withdrawals: Chapter = {
  title: "Withdrawals",
  words:
    "The partner takes money out to its own address, which operators have verified: it is no field of the request.\n" +
    "The custodian (a sandbox, which pays on the local chain) sends it.",
  scenes: [withdrawal]
}
