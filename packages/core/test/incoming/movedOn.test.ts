import { issueAddresses } from "@bursar/core/address/issueAddresses"
import { registerAddresses } from "@bursar/core/address/registerAddresses"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import { nothingUndecided, type Undecided } from "@bursar/core/deposit/undecided"
import type { WalletTransfer } from "@bursar/core/deposit/WalletTransfer"
import type { Command } from "@bursar/core/engine/Command"
import { confirmDeposits } from "@bursar/core/incoming/confirmDeposits"
import { recordIncomingTransfers } from "@bursar/core/incoming/recordIncomingTransfers"
import { confirmWalletTransfers, recordWalletTransfers } from "@bursar/core/incoming/walletTransfers"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { Queries } from "@bursar/core/store/Queries"
import type { Account } from "@bursar/core/ledger/Account"
import { looking } from "@bursar/testkit/fixtures/commands"
import * as Memory from "@bursar/memory"
import { accountAt, addressItem, incomingTransferAt, keyed, newEvmAddress } from "@bursar/testkit/fixtures/deposits"
import { commitAt, newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import fc from "fast-check"

const store = Layer.fresh(Memory.layer)

const outside = "0x00000000000000000000000000000000000000F0"
const walletAddress = "0x00000000000000000000000000000000000000Aa"

/** Where the coins are, and what of them is the float's. */
const accounts = [
  "float:available",
  "chain:ethereum:tenant",
  "chain:ethereum:deposits",
  "chain:ethereum:payouts"
] as const satisfies ReadonlyArray<Account>

/** What a tenant has: three addresses of its own, one whose key the service holds, and a wallet. */
const setUp = Effect.gen(function* () {
  const { id } = yield* newTenant({ createdAt: past })
  const queries = yield* Queries
  const submit = <A>(command: Command<A>) => Effect.map(commitAt(id, past + 1, command), ([reply]) => reply as A) // a command's reply is of its kind
  yield* commitAt(id, past, registerAddresses([0, 1, 2].map(() => addressItem(newEvmAddress()))))
  const own = yield* queries.addresses(id, { includeRetired: false, limit: 10 })
  const prederived = {
    seedId: crypto.randomUUID(),
    ...accountAt(newEvmAddress()),
    from: 0,
    addresses: [keyed(newEvmAddress())]
  }
  const { addresses } = yield* submit(
    issueAddresses({ network: "ethereum", reference: "r", count: 1, prederived }, presetNetworks)
  )
  const confirm = (deposits: ReadonlyArray<Deposit>, undecided: Undecided) =>
    submit(
      confirmDeposits(
        deposits.map((deposit) => ({ deposit, blockHash: deposit.block?.hash ?? "", confirmations: 3 })),
        defaultCurrencies,
        undecided
      )
    )
  const confirmWallet = (all: ReadonlyArray<WalletTransfer>, undecided: Undecided) =>
    submit(
      confirmWalletTransfers(
        all.map((incomingTransfer) => ({ incomingTransfer, block: incomingTransfer.block })),
        presetNetworks,
        undecided
      )
    )
  const look = looking(
    accounts.map((account) => ({ _tag: "Balance", account, currency: "ETH" }) as const),
    (view) => accounts.map((account) => [account, view.balance(account, "ETH").units] as const)
  )
  const held = Effect.map(submit(look), (all) => Object.fromEntries(all.filter(([, units]) => units !== 0n)))
  return { id, own, places: [...own, ...addresses], submit, confirm, confirmWallet, held }
})

type World = Effect.Success<typeof setUp>

/** Something that somebody moves on the chain: from outside (3) or an address of the tenant's own, to an address (3: the service's) or the wallet (4). */
interface Move {
  readonly from: number
  readonly to: number
  readonly units: bigint
  /** Whether it is in a block after that of the move before. */
  readonly later: boolean
}

const move: fc.Arbitrary<Move> = fc.record({
  from: fc.integer({ min: 0, max: 3 }),
  to: fc.integer({ min: 0, max: 4 }),
  units: fc.bigInt(1n, 9n),
  later: fc.boolean()
})

/** What the chain makes of moves, each as far as its sender can pay it, as the service records it; and where that leaves the coins. */
const mine = Effect.fnUntraced(function* ({ own, places, submit }: World, moves: ReadonlyArray<Move>) {
  const there = [0n, 0n, 0n, 0n, 0n]
  let income = 0n
  let number = 10
  const deposits: Array<Deposit> = []
  const wallets: Array<WalletTransfer> = []
  for (const { from, later, to, units: wanted } of moves) {
    const sender = own[from]
    const units = sender === undefined ? wanted : wanted < (there[from] ?? 0n) ? wanted : (there[from] ?? 0n)
    // what an address sends to itself does not arrive
    if (units === 0n || from === to) continue
    if (later) number += 1
    const block = { number, hash: `b${number}`, time: past + number }
    const fromAddress = sender?.address ?? outside
    there[to] = (there[to] ?? 0n) + units
    if (sender !== undefined) there[from] = (there[from] ?? 0n) - units
    else if (to < 4) income += units
    const place = places[to]
    const txHash = `t${deposits.length + wallets.length}`
    if (place === undefined) {
      const found = { walletId: "w", address: walletAddress, paidTo: walletAddress, memo: null, currency: "ETH" }
      const at = { network: "ethereum", txHash, transferIndex: 0, units, fromAddress, block }
      wallets.push(...(yield* submit(recordWalletTransfers([{ ...found, ...at }], presetNetworks))))
    } else {
      const incomingTransfers = [incomingTransferAt(place, units, { txHash, fromAddress, block })]
      const command = { network: "ethereum", requiredConfirmations: 3, incomingTransfers }
      deposits.push(...(yield* submit(recordIncomingTransfers(command, defaultCurrencies))))
    }
  }
  return { deposits, wallets, there, income }
})

/** What of the deposits is there to be confirmed in a pass, and what of it is held back. */
interface Pass {
  /** As many are read, by their blocks. */
  readonly read: number
  readonly held: ReadonlyArray<boolean>
  readonly chunk: number
}

const pass: fc.Arbitrary<Pass> = fc.record({
  read: fc.integer({ min: 1, max: 14 }),
  held: fc.array(fc.boolean(), { minLength: 14, maxLength: 14 }),
  chunk: fc.integer({ min: 1, max: 4 })
})

/** Confirms as the watcher does: what it reads, but for what is held back, in chunks. Gives what is left. */
const confirmSome = Effect.fnUntraced(function* (world: World, left: Awaited, { chunk, held, read }: Pass) {
  const deposits = left.deposits.slice(0, read)
  const from = deposits.length < left.deposits.length ? (deposits.at(-1)?.block?.number ?? null) : null
  const admitted = deposits.filter((_, index) => held[index] !== true)
  const moved = new Set<string>()
  for (let at = 0; at < admitted.length; at += chunk) {
    const some = admitted.slice(at, at + chunk)
    const undecided = deposits.filter((one) => !some.includes(one))
    for (const { id } of yield* world.confirm(some, { deposits: undecided, from })) moved.add(id)
  }
  const wallets = left.wallets.filter((_, index) => held[13 - index] !== true)
  const atWallet = new Set((yield* world.confirmWallet(wallets, { deposits, from })).map(({ txHash }) => txHash))
  return {
    deposits: left.deposits.filter(({ id }) => !moved.has(id)),
    wallets: left.wallets.filter(({ txHash }) => !atWallet.has(txHash))
  } satisfies Awaited
})

interface Awaited {
  readonly deposits: ReadonlyArray<Deposit>
  readonly wallets: ReadonlyArray<WalletTransfer>
}

const everything: Pass = { read: 100, held: [], chunk: 100 }

describe("coins that a tenant moves on from addresses of its own", () => {
  it("are credited once, in whatever order what came is confirmed, and end where they are on the chain", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(move, { minLength: 2, maxLength: 12 }),
        fc.array(pass, { maxLength: 4 }),
        (moves, passes) =>
          Effect.gen(function* () {
            const world = yield* setUp
            const { income, there, ...found } = yield* mine(world, moves)
            let left: Awaited = found
            for (const each of passes) left = yield* confirmSome(world, left, each)
            left = yield* confirmSome(world, left, everything)
            assert.deepStrictEqual([left.deposits, left.wallets], [[], []])
            const held = yield* world.held
            assert.strictEqual(held["float:available"] ?? 0n, income)
            assert.strictEqual(held["chain:ethereum:tenant"] ?? 0n, there[0]! + there[1]! + there[2]!)
            assert.strictEqual(held["chain:ethereum:deposits"] ?? 0n, there[3])
            assert.strictEqual(held["chain:ethereum:payouts"] ?? 0n, there[4])
          }).pipe(Effect.provide(store), Effect.runPromise)
      )
    ))

  /** Something comes to an address of the tenant's own, and moves on to another one, to the service and to the wallet. */
  const chain: ReadonlyArray<Move> = [
    { from: 3, to: 0, units: 9n, later: true },
    { from: 0, to: 1, units: 6n, later: true },
    { from: 1, to: 3, units: 4n, later: true },
    { from: 0, to: 4, units: 3n, later: true }
  ]

  it.effect("wait while a second node is asked about what they come from, and then count once", () =>
    Effect.gen(function* () {
      const world = yield* setUp
      const { deposits, wallets } = yield* mine(world, chain)
      const [first, ...moved] = deposits
      const undecided = { deposits, from: null }
      assert.deepStrictEqual(yield* world.confirm(moved, { deposits: [first!], from: null }), [])
      assert.deepStrictEqual(yield* world.confirmWallet(wallets, undecided), [])
      assert.deepStrictEqual(yield* world.held, {})
      yield* world.confirm([first!], { deposits: moved, from: null })
      // it is named still, and decided
      assert.lengthOf(yield* world.confirm(moved, { deposits: [first!], from: null }), 2)
      assert.lengthOf(yield* world.confirmWallet(wallets, undecided), 1)
      assert.deepStrictEqual(yield* world.held, {
        "float:available": 9n,
        "chain:ethereum:tenant": 2n,
        "chain:ethereum:deposits": 4n,
        "chain:ethereum:payouts": 3n
      })
    }).pipe(Effect.provide(store))
  )

  it.effect("wait in the first block of which not all was read, and in those above it", () =>
    Effect.gen(function* () {
      const world = yield* setUp
      const { deposits } = yield* mine(world, chain)
      const [first, second, third] = deposits
      yield* world.confirm([first!], nothingUndecided)
      assert.deepStrictEqual(yield* world.confirm([second!, third!], { deposits: [], from: second!.block!.number }), [])
      assert.lengthOf(yield* world.confirm([second!, third!], { deposits: [], from: third!.block!.number }), 1)
    }).pipe(Effect.provide(store))
  )

  it.effect("wait for nothing that came there later, to another address, or in another currency", () =>
    Effect.gen(function* () {
      const world = yield* setUp
      const { deposits } = yield* mine(world, [...chain.slice(0, 2), { from: 3, to: 0, units: 1n, later: true }])
      const [first, moved, later] = deposits
      yield* world.confirm([first!], nothingUndecided)
      const other = yield* mine(world, [{ from: 3, to: 2, units: 1n, later: false }])
      const undecided = { deposits: [later!, ...other.deposits], from: null }
      assert.lengthOf(yield* world.confirm([moved!], undecided), 1)
    }).pipe(Effect.provide(store))
  )
})
