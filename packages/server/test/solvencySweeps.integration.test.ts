import { putRecord } from "@bursar/core/engine/Records"
import { type BlockRef, ChainError, type ChainReader } from "@bursar/core/port/Chain"
import { Sweep } from "@bursar/core/sweep/Sweep"
import { SweepableDeposit, type SweepKey } from "@bursar/core/sweep/SweepableDeposit"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import type { State } from "@bursar/memory"
import { adjust, writing } from "@bursar/testkit/fixtures/commands"
import { layerFakeNetworks, makeFakeNetwork } from "@bursar/testkit/fixtures/FakeNetwork"
import { bareTransaction } from "@bursar/testkit/fixtures/records"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Operator } from "./support/Operator.ts"
import { portsOver } from "./support/Partner.ts"
import { testNetwork } from "./support/TestPorts.ts"

const block: BlockRef = { number: 7, hash: "0xb7", parentHash: "0xb6", time: 1_700_000_000_000 }
const newest = { ...block, number: 9, hash: "0xb9" }
const network = "ethereum"
const at = `0x${"a1".repeat(20)}`
const walletAt = `0x${"b2".repeat(20)}`

type Holdings = ChainReader["holdings"]

/** What an address or the wallet holds of 500 units of which a sweep moves all from one to the other. */
const heldBy = (address: string, isSwept: boolean): bigint => (address === (isSwept ? walletAt : at) ? 500n : 0n)

const telling = (ref: BlockRef, addresses: ReadonlyArray<string>, isSwept: boolean) => ({
  block: ref,
  held: addresses.map((address) => ({ address, contract: null, units: heldBy(address, isSwept) }))
})

const test = <A, E>(
  name: string,
  holdings: Holdings,
  effect: Effect.Effect<A, E, Operator>,
  more: Partial<ChainReader> = {}
) => {
  const { reader } = makeFakeNetwork(network)
  const ethereum = testNetwork(network, {
    reader: {
      ...reader,
      tip: Effect.succeed({ latest: newest, confirmed: block.number }),
      header: (number) => Effect.succeed({ ...block, number, hash: `0xb${number}` }),
      holdingsMax: 1,
      holdings,
      pollIntervalMs: 1,
      ...more
    }
  })
  const ports = (state: State) => Layer.merge(portsOver(state), layerFakeNetworks([ethereum]))
  it.live(name, () => Effect.provide(effect, Operator.layerWith({}, ports)))
}

const key: SweepKey = { _tag: "Issued", seedId: "seed", index: 4 }

/** A deposit of 500 units on the address, and its sweep where there is one. */
const arrived = Effect.fnUntraced(function* (tenant: TenantId, sweep: Partial<Sweep> | undefined) {
  const { seeder } = yield* Operator
  const [addressId, depositId, id] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
  const place = { network, addressId, address: at, currency: "ETH", contract: null, units: 500n, key }
  const identity = { network, txHash: `0x${depositId}`, transferIndex: 0, depositId }
  const deposit: SweepableDeposit = {
    ...place,
    ...identity,
    gone: false,
    sweepId: sweep === undefined ? null : id,
    bookedBy: null,
    unbacked: 0n
  }
  const open: Sweep = {
    ...place,
    id,
    account: at,
    state: "ELIGIBLE",
    topUpTransactionId: null,
    sweepTransactionId: null,
    deposits: [identity],
    problem: null,
    createdAt: 0,
    endedAt: null,
    closedAt: null,
    ...sweep
  }
  yield* seeder.submit(
    tenant,
    writing(() => [putRecord(SweepableDeposit, deposit), ...(sweep === undefined ? [] : [putRecord(Sweep, open)])])
  )
})

const wallet: PayoutWallet = {
  id: crypto.randomUUID(),
  network,
  role: "PAYOUT",
  address: walletAt,
  seedId: "seed",
  custodied: null,
  index: 0,
  nextSequence: null,
  nextSalt: 0,
  openTransactions: 0,
  committed: [],
  createdAt: 0
}

/** What a snapshot counts on the address and in the wallet together. */
const counted = Effect.gen(function* () {
  const { operate } = yield* Operator
  const { body } = yield* operate("POST", "/operator/v1/solvency/snapshots", { body: {} })
  return body.document.summary.map(({ difference, proven }: Record<string, unknown>) => [proven, difference])
})

/** A tenant that is owed 500 units, on the address and in a wallet of it. */
const owing = Effect.gen(function* () {
  const { seeder } = yield* Operator
  const tenant = yield* seeder.tenant()
  yield* seeder.submit(tenant, adjust(500n, "ETH"))
  yield* seeder.submit(
    tenant,
    writing(() => [putRecord(PayoutWallet, wallet)])
  )
  return tenant
})

const sweeps: ReadonlyArray<readonly [string, boolean, Partial<Sweep> | undefined]> = [
  ["before their sweep", false, undefined],
  ["while their sweep is reserved", false, { state: "TOPUP_SIGNED" }],
  ["while their sweep is signed, and not in a block", false, { state: "SWEEP_SIGNED" }],
  ["once they were moved, and their sweep is open", true, { state: "SWEPT", endedAt: 1 }],
  ["once their sweep is closed", true, { state: "SWEPT", endedAt: 1, closedAt: 2 }]
]

describe("the coins of a deposit in a proof of solvency", () => {
  for (const [name, isSwept, sweep] of sweeps)
    test(
      `count once ${name}`,
      (addresses, ref = newest) => Effect.succeed(telling(ref, addresses, isSwept)),
      Effect.gen(function* () {
        yield* arrived(yield* owing, sweep)
        assert.deepStrictEqual(yield* counted, [["500", "0"]])
      })
    )

  let isSwept = false
  test(
    "count once where a sweep moves them while a node that tells of the newest block alone is asked",
    (addresses) =>
      Effect.sync(() => {
        const told = telling(newest, addresses, isSwept)
        if (addresses.includes(at)) isSwept = true
        return told
      }),
    Effect.gen(function* () {
      const { seeder } = yield* Operator
      // the address serves another tenant, too, which comes first
      yield* arrived(yield* seeder.tenant(), undefined)
      yield* arrived(yield* owing, { state: "SWEEP_SIGNED" })
      assert.deepStrictEqual(yield* counted, [["500", "0"]])
      assert.isTrue(isSwept)
    })
  )

  test(
    "do not count twice where a node has forgotten the block for the wallet, and knows it again for the address",
    (addresses, ref) =>
      ref !== undefined && addresses.includes(walletAt)
        ? Effect.fail(new ChainError({ network, reason: "unreachable", doing: "read", detail: "it is forgotten" }))
        : Effect.succeed(telling(ref ?? newest, addresses, ref === undefined)),
    Effect.gen(function* () {
      yield* arrived(yield* owing, { state: "SWEEP_SIGNED" })
      assert.deepStrictEqual(yield* counted, [["500", "0"]])
    })
  )

  const older = { ...block, number: 5, hash: "0xb5" }

  test(
    "do not count twice where another node, which has not seen the sweep, tells of the address",
    (addresses) =>
      Effect.succeed(
        addresses.includes(walletAt) ? telling(newest, addresses, true) : telling(older, addresses, false)
      ),
    Effect.gen(function* () {
      yield* arrived(yield* owing, { state: "SWEEP_SIGNED" })
      assert.deepStrictEqual(yield* counted, [["500", "0"]])
    })
  )

  test(
    "do not count twice where the other node tells of another block of the same height",
    (addresses) =>
      Effect.succeed(
        addresses.includes(walletAt)
          ? telling(newest, addresses, true)
          : telling({ ...newest, hash: "0xc9" }, addresses, false)
      ),
    Effect.gen(function* () {
      yield* arrived(yield* owing, { state: "SWEEP_SIGNED" })
      assert.deepStrictEqual(yield* counted, [["500", "0"]])
    })
  )

  test(
    "do not count twice where the final block is forgotten for the address alone, and the newest that is told is older",
    (addresses, ref) =>
      ref === undefined
        ? Effect.succeed(telling(older, addresses, false))
        : addresses.includes(walletAt)
          ? Effect.succeed(telling(ref, addresses, true))
          : Effect.fail(new ChainError({ network, reason: "unreachable", doing: "read", detail: "it is forgotten" })),
    Effect.gen(function* () {
      yield* arrived(yield* owing, { state: "SWEEP_SIGNED" })
      assert.deepStrictEqual(yield* counted, [["500", "0"]])
    })
  )

  let isAskedAgain = false
  test(
    "count where the node that lags is one of several, and another of them answers next",
    (addresses) =>
      Effect.sync(() => {
        if (addresses.includes(walletAt)) return telling(newest, addresses, false)
        const told = telling(isAskedAgain ? newest : older, addresses, !isAskedAgain)
        isAskedAgain = true
        return told
      }),
    Effect.gen(function* () {
      yield* arrived(yield* owing, undefined)
      assert.deepStrictEqual(yield* counted, [["500", "0"]])
    })
  )
})

describe("where the server's node lags behind the worker's", () => {
  const older = { ...block, number: 5, hash: "0xb5" }
  const lagging = Effect.succeed({ latest: { ...block, number: 6 }, confirmed: older.number })

  /** A tenant of which the worker has booked what is final in block 7: it was paid out, or is in the wallet now. */
  const bookedBefore = Effect.fnUntraced(function* (isPaid: boolean) {
    const { seeder } = yield* Operator
    const tenant = yield* owing
    if (isPaid) yield* seeder.submit(tenant, adjust(-500n, "ETH"))
    else yield* arrived(tenant, { state: "SWEPT", endedAt: 1, closedAt: 2 })
    yield* seeder.submit(
      tenant,
      writing((view) => [
        putRecord(
          OutboundTransaction,
          bareTransaction(view, { network, phase: "FINAL", outcome: "done", blockNumber: block.number, endedAt: 0 })
        )
      ])
    )
  })

  /** What is counted, and the addresses that nobody could read. */
  const taken = Effect.gen(function* () {
    const { operate } = yield* Operator
    const { body } = yield* operate("POST", "/operator/v1/solvency/snapshots", { body: {} })
    const proven = body.document.summary.map((one: Readonly<Record<string, unknown>>) => one["proven"])
    const unread = body.document.unread.map((one: Readonly<Record<string, unknown>>) => one["address"])
    return { proven, unread }
  })

  for (const [what, isPaid] of [
    ["coins whose sweep is booked are not left out", false],
    ["coins that were paid out are not counted", true]
  ] as const)
    test(
      `${what}: nothing is read as of before it`,
      (addresses, ref = older) => Effect.succeed(telling(ref, addresses, isPaid)),
      Effect.gen(function* () {
        yield* bookedBefore(isPaid)
        assert.deepStrictEqual(yield* taken, { proven: isPaid ? [] : ["0"], unread: [walletAt] })
      }),
      { tip: lagging }
    )

  test(
    "a node that tells of its newest block alone is not believed either",
    (addresses) => Effect.succeed(telling(older, addresses, true)),
    Effect.gen(function* () {
      yield* bookedBefore(true)
      assert.deepStrictEqual(yield* taken, { proven: [], unread: [walletAt] })
    })
  )

  let asked = 0
  test(
    "it is read once that has caught up",
    (addresses, ref = older) => Effect.succeed(telling(ref, addresses, ref.number >= block.number)),
    Effect.gen(function* () {
      yield* bookedBefore(false)
      assert.deepStrictEqual(yield* taken, { proven: ["500"], unread: [] })
    }),
    {
      tip: Effect.suspend(() => (asked++ === 0 ? lagging : Effect.succeed({ latest: newest, confirmed: block.number })))
    }
  )
})
