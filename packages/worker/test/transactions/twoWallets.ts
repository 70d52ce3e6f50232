import { payoutPhase } from "@bursar/testkit/fixtures/payoutPhase"
import { keyed } from "@bursar/testkit/fixtures/deposits"
import { seedOf } from "@bursar/testkit/fixtures/seedOf"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Payout } from "@bursar/core/payout/Payout"
import { payoutDetails } from "@bursar/core/payout/payoutDetails"
import type { FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { Clock, Effect } from "effect"
import { operationsOf, payer, submit, tick } from "./world.ts"

/** The network of a tenant with two wallets. */
export const network = "ethereum"

const secondAddress = "0x00000000000000000000000000000000000000B0"

/** A tenant with two wallets: the first has all of the float, unless some of it is given to the second. */
export const payerOfTwo = Effect.fnUntraced(function* (fake: FakeSender, given: bigint) {
  const { contract, id, wallet } = yield* payer(network, fake)
  const more = { another: true, seedId: seedOf(wallet), index: 1, ...keyed(secondAddress) }
  const second = yield* submit(id, addWallet({ network, role: "PAYOUT", ...more }, presetNetworks))
  fake.fund(wallet.address, contract, -given)
  fake.fund(second.address, contract, given)
  return { id, first: wallet, second, contract }
})

/** How far a payout is, and why it waits. */
export const waitOf = Effect.fnUntraced(function* (id: TenantId, payout: string) {
  const [phase, one] = [yield* payoutPhase(id, payout), yield* (yield* Queries).record(id, Payout, payout)]
  return [phase, one?.waits?.reason]
})

/** From where each of some payouts is paid, as their partner is told. */
export const toldFrom = Effect.fnUntraced(function* (id: TenantId, made: Parameters<typeof operationsOf>[1]) {
  return (yield* operationsOf(id, made)).map((operation) => payoutDetails(operation).fromAddress)
})

/** Lets three passes run. */
export const thrice = Effect.forEach([1, 2, 3], () => tick, { discard: true })

/** Lets so many blocks be mined, one after each pass. */
export const blocks = (fake: FakeSender, count: number) =>
  Effect.gen(function* () {
    for (let round = 0; round < count; round++) {
      fake.mine(yield* Clock.currentTimeMillis)
      yield* tick
    }
  })
