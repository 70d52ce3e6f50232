import type { Holding } from "@bursar/core/port/Chain"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Difference, findDifferences } from "../src/judge/judgeReconciliation.ts"
import { runWorld } from "../src/run/runWorld.ts"
import type { World } from "../src/world/World.ts"

/** The world as it is, but that somebody has taken something from an account on the chain. */
const robbed = (world: World, units: bigint): World => {
  const { network } = world
  const wallet = [...world.state.tenants.values()]
    .flatMap(({ records }) => [...(records.get("PayoutWallet")?.values() ?? [])])
    .map((one) => (one as { readonly address: string }).address)[0] // under that name stand wallets alone
  const taken = ({ address, contract }: Holding): bigint => (address === wallet && contract === null ? units : 0n)
  return {
    ...world,
    network: {
      ...network,
      asRead: (blocks) => {
        const { reader, ...adapter } = network.asRead(blocks)
        const holdings: typeof reader.holdings = (addresses, at) =>
          Effect.map(reader.holdings(addresses, at), ({ block, held }) => ({
            block,
            held: held.map((one) => ({ ...one, units: one.units - taken(one) }))
          }))
        return { ...adapter, reader: { ...reader, holdings } }
      }
    }
  }
}

const nothing = { least: 0n, most: 0n }

/** What goes wrong outside after all is over, and the one difference that it is. */
const losses: ReadonlyArray<readonly [what: string, (world: World) => World, Omit<Difference, "inFlight">]> = [
  [
    "a coin that was stolen from a wallet",
    (world) => robbed(world, 7n),
    { place: "chain:ethereum:payouts", currency: "ETH", units: 7n }
  ],
  [
    "a withdrawal that the custodian booked twice",
    (world) => {
      const { exchange } = world
      return {
        ...world,
        exchange: {
          ...exchange,
          reachedBy: (ask) => ({
            ...exchange.reachedBy(ask),
            balances: Effect.map(exchange.reachedBy(ask).balances, (all) =>
              new Map(all).set("USDT_ETH", (all.get("USDT_ETH") ?? 0n) - 5_000_000n)
            )
          })
        }
      }
    },
    { place: "custodian:exchange", currency: "USDT_ETH", units: 5_000_000n }
  ],
  [
    "a transfer that the bank has lost",
    (world) => {
      const { bank } = world
      return { ...world, bank: { ...bank, holds: (code) => bank.holds(code) + (code === "EUR" ? 1_250n : 0n) } }
    },
    { place: "bank:bank", currency: "EUR", units: -1_250n }
  ]
]

describe("reconciliation of a world whose end has come", () => {
  it.live(
    "finds nothing where all was right, and of each loss exactly that one",
    () =>
      Effect.gen(function* () {
        // a world with deposits, sweeps, payouts, a custodian and a bank
        const { violations, world } = yield* runWorld({ seed: 27, expires: false })
        assert.deepStrictEqual(violations, [])
        assert.deepStrictEqual(yield* findDifferences(world), [])
        for (const [what, lose, expected] of losses)
          assert.deepStrictEqual(yield* findDifferences(lose(world)), [{ ...expected, inFlight: nothing }], what)
        const all = losses.reduce((one, [, lose]) => lose(one), world)
        assert.sameDeepMembers(
          [...(yield* findDifferences(all))],
          losses.map(([, , expected]) => ({ ...expected, inFlight: nothing }))
        )
      }),
    60_000
  )
})
