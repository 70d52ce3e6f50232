import { issueAddresses } from "@bursar/core/address/issueAddresses"
import { Deposit } from "@bursar/core/deposit/Deposit"
import { confirmDeposits } from "@bursar/core/incoming/confirmDeposits"
import { recordIncomingTransfers } from "@bursar/core/incoming/recordIncomingTransfers"
import { reorgDeposits } from "@bursar/core/incoming/reorgDeposits"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { Queries } from "@bursar/core/store/Queries"
import { looking } from "@bursar/testkit/fixtures/commands"
import {
  accountAt,
  importingKey,
  incomingTransferAt,
  keyed,
  newAddress,
  newEvmAddress
} from "@bursar/testkit/fixtures/deposits"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import fc from "fast-check"
import { ledgerHolds, outside, store, submit } from "../payout/world.ts"

/** What befalls one of the transfers, in one of two blocks. */
interface Step {
  readonly what: "arrive" | "confirm" | "reorg" | "import"
  readonly tx: number
  readonly block: number
}

const accounts = [
  "float:available",
  "chain:ethereum:tenant",
  "chain:ethereum:deposits",
  "suspense",
  "suspense:chain:ethereum:tenant",
  "suspense:chain:ethereum:deposits"
] as const

/** The order of the blocks that the transfers are in. */
const order = [0, 5, 1, 4, 2, 3]

/** What the books have of some transfers between addresses of a tenant after a life and once the chain is at rest, and once all of it is gone. */
const lived = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>, imports: boolean) {
  const { id } = yield* newTenant({})
  const [one, other] = [yield* newAddress(id), yield* newAddress(id)]
  const prederived = {
    ...{ seedId: crypto.randomUUID(), ...accountAt(`account-${id}`), from: 0 },
    addresses: [keyed(newEvmAddress())]
  }
  const { addresses } = yield* submit(
    id,
    issueAddresses({ network: "ethereum", reference: "r", count: 1, prederived }, presetNetworks)
  )
  const issued = addresses[0] ?? (yield* Effect.die(new Error("none was issued")))
  const txs = [
    [one, 10n, outside],
    [other, 10n, one.address],
    [issued, 10n, imports ? outside : other.address],
    [issued, 3n, outside],
    [other, 4n, one.address],
    [one, 4n, outside]
  ] as const
  const at = (tx: number, block: number) => {
    const [address, units, fromAddress] = txs[tx] ?? txs[0]
    const point = { number: 1_000 + order.indexOf(tx), hash: `b${tx}-${block}`, time: address.createdAt }
    return incomingTransferAt(address, units, { txHash: `0xt${tx}`, fromAddress, block: point })
  }
  const queries = yield* Queries
  const known = Effect.map(
    Effect.forEach(order, (tx) => queries.record(id, Deposit, at(tx, 0))),
    (all) => all.flatMap((deposit) => deposit ?? [])
  )
  const arrive = (tx: number, block: number) => {
    const found = { network: "ethereum", requiredConfirmations: 1, incomingTransfers: [at(tx, block)] } as const
    return submit(id, recordIncomingTransfers(found, defaultCurrencies))
  }
  const confirm = Effect.fnUntraced(function* (which: ReadonlyArray<number>) {
    const all = yield* known
    const found = all
      .filter(({ txHash }) => which.some((tx) => txHash === `0xt${tx}`))
      .map((deposit) => ({ deposit, blockHash: deposit.block?.hash ?? "", confirmations: 1 }))
    const undecided = { deposits: all.filter(({ status }) => status === "DETECTED"), from: null }
    yield* submit(id, confirmDeposits(found, defaultCurrencies, undecided))
  })
  const reorg = Effect.fnUntraced(function* (tx: number) {
    const lost = (yield* known).filter(({ status, txHash }) => txHash === `0xt${tx}` && status !== "REORGED")
    const all = lost.map((deposit) => ({ deposit, blockHash: deposit.block?.hash ?? null }))
    yield* submit(id, reorgDeposits(all, defaultCurrencies))
  })
  let isImported = false
  for (const { block, tx, what } of steps) {
    if (what === "arrive") yield* arrive(tx, block)
    else if (what === "confirm") yield* confirm([tx])
    else if (what === "reorg") yield* reorg(tx)
    else if (imports)
      isImported = Result.isSuccess(yield* Effect.result(submit(id, importingKey(other.address)))) || isImported
  }
  const told = submit(
    id,
    looking(
      accounts.map((account) => ({ _tag: "Balance", account, currency: "ETH" }) as const),
      (view) => accounts.map((account) => view.balance(account, "ETH").units)
    )
  )
  for (const tx of order) yield* arrive(tx, 9)
  for (const _ of order) yield* confirm(order)
  yield* ledgerHolds(id)
  const rest = yield* told
  for (const tx of order) yield* reorg(tx)
  yield* ledgerHolds(id)
  return { rest, none: yield* told, isImported }
})

const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.record({
    what: fc.constantFrom<Step["what"]>("arrive", "arrive", "confirm", "confirm", "reorg", "import"),
    tx: fc.nat(5),
    block: fc.nat(1)
  }),
  { maxLength: 25 }
)

describe("what the tenant moves between its own addresses", () => {
  for (const imports of [false, true])
    it(`is where the chain has it once that is at rest, whatever was before (a key is imported: ${imports})`, () =>
      fc.assert(
        fc.asyncProperty(steps, async (all) => {
          const { isImported, none, rest } = await Effect.runPromise(Effect.provide(lived(all, imports), store))
          const [inFloat = 0n, tenant = 0n, deposits = 0n, suspense, shortOfTenant = 0n, shortOfDeposits = 0n] = rest
          assert.deepStrictEqual([inFloat, suspense], [imports ? 27n : 17n, 0n], "float")
          // 13 came to the issued address; what was moved to an imported one is there as well
          const places = imports ? (isImported ? [0n, 27n] : [14n, 13n]) : [4n, 13n]
          assert.deepStrictEqual([tenant + shortOfTenant, deposits + shortOfDeposits], places, "places")
          assert.deepStrictEqual(none, [0n, 0n, 0n, 0n, 0n, 0n], "all is gone")
        }),
        { numRuns: 30 }
      ))
})
