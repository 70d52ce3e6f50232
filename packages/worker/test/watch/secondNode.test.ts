import type { Block, Transfer } from "@bursar/core/port/Chain"
import { HeldArrivals } from "@bursar/core/port/HeldArrivals"
import { WalletTransfer } from "@bursar/core/deposit/WalletTransfer"
import { Writer } from "@bursar/core/engine/Writer"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import { Queries } from "@bursar/core/store/Queries"
import { keyed, newAddress } from "@bursar/testkit/fixtures/deposits"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { newTxHash, transferTo } from "@bursar/testkit/fixtures/transfers"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import { poolReader } from "../../src/nodes/poolReader.ts"
import { defaultWatchLimits } from "../../src/watch/WatchLimits.ts"
import {
  available,
  begin,
  caughtUp,
  depositsOf,
  ethereum,
  ledgerHolds,
  oneProcess,
  signed,
  statusOf,
  ticks,
  until,
  untilStatuses,
  watching
} from "./world.ts"
import { above100, held, type Lies, untilHeld, withTransfer, world } from "./secondNodeWorld.ts"

const without =
  (txHash: string) =>
  (block: Block): Block => ({ ...block, transfers: block.transfers.filter((own) => own.txHash !== txHash) })

describe("a second node", () => {
  it.effect("is asked about what is above the threshold alone, and once it agrees that is credited", () =>
    Effect.gen(function* () {
      const { address, id, mine, second } = yield* world()
      const asked = second.chain.asked("block")
      mine(transferTo(address, 100n))
      yield* untilStatuses(id, "CONFIRMED")
      assert.strictEqual(second.chain.asked("block"), asked)
      mine(transferTo(address, 101n))
      yield* untilStatuses(id, "CONFIRMED", "CONFIRMED")
      assert.strictEqual(second.chain.asked("block"), asked + 1)
      assert.strictEqual(yield* available(id), 201n)
      assert.deepStrictEqual(yield* held, [])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  for (const [what, lie] of [
    ["made it up", undefined],
    ["says more", (true_: Transfer): Transfer => ({ ...true_, units: 5_000n })],
    ["says another asset", (true_: Transfer): Transfer => ({ ...true_, units: 200n, contract: null })],
    ["says another receiver", (true_: Transfer): Transfer => ({ ...true_, to: "" })],
    [
      "says another sender",
      (true_: Transfer): Transfer => ({ ...true_, from: "0x00000000000000000000000000000000000000F9" })
    ]
  ] as const) {
    it.effect(`holds a deposit where one node lies (${what}), calls a person, and credits all others`, () =>
      Effect.gen(function* () {
        const { address, both, events, first, id, mine, other, second } = yield* world()
        const usdt = "0xdAC17F958D2ee523a2206206994597C13D831ec7"
        const told = transferTo(address, 200n, what === "says another asset" ? { contract: usdt } : {})
        const wrong = { ...told, to: what === "says another receiver" ? address : told.to }
        const right = what === "says another receiver" ? { ...told, to: newTxHash().slice(0, 42) } : told
        const lied = lie === undefined ? undefined : { ...lie(right), ...(what === "says another receiver" && wrong) }
        first.chain.mine([lied ?? told])
        second.chain.mine(lie === undefined ? [] : [right])
        both((chain) => chain.mineMany(3))
        yield* untilHeld("disputed")
        mine(transferTo(other, 700n), transferTo(other, 3n))
        yield* until(
          "the others are credited",
          Effect.map(available(id), (units) => units === 703n)
        )
        yield* ticks(40)
        assert.strictEqual(yield* available(id), 703n)
        const [entry] = yield* held
        assert.deepStrictEqual([entry?.txHash, entry?.state, entry?.said.length], [told.txHash, "disputed", 2])
        assert.include(entry?.said[1]?.node ?? "", "node 2 of 2 (two)")
        assert.deepStrictEqual(
          events.filter((event) => event === "arrival.disputed"),
          ["arrival.disputed"]
        )
        assert.include((yield* statusOf("ethereum"))?.notice ?? "", "on 1 nodes contradict each other")
        assert.isNull((yield* statusOf("ethereum"))?.problem)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(oneProcess()))
    )
  }

  it.effect("is asked about small deposits too, once one node alone has credited as much as it may in a while", () =>
    Effect.gen(function* () {
      const { address, both, events, first, id, mine, second } = yield* world({ ...above100, together: () => 250n })
      // one node invents small deposits: as much as is allowed is credited, and a person hears of the rest
      for (let left = 8; left > 0; left--) {
        first.chain.mine([transferTo(address, 90n)])
        second.chain.mine()
        both((chain) => chain.mine())
      }
      both((chain) => chain.mineMany(3))
      yield* untilHeld("disputed")
      yield* ticks(40)
      assert.strictEqual(yield* available(id), 180n)
      assert.strictEqual(events.filter((event) => event === "arrival.disputed").length, 6)
      // what both say is credited meanwhile
      mine(transferTo(address, 80n))
      yield* until(
        "the true one is credited",
        Effect.map(available(id), (units) => units === 260n)
      )
      assert.lengthOf(yield* held, 6)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("is not asked again about small deposits when the window has passed, whoever leads by then", () =>
    Effect.gen(function* () {
      yield* begin
      const [chain, silent] = [ethereum(), ethereum()]
      chain.mineMany(5)
      silent.fail("unreachable", 1_000_000)
      const { id } = yield* newTenant()
      const { address } = yield* newAddress(id)
      const reader = poolReader([chain.reader, silent.reader], { operators: ["one", "two"] })
      const watched = watching({ ...chain, reader }, defaultWatchLimits, { ...above100, together: () => 250n })
      /** What a new watcher credits of three small deposits. */
      const credited = Effect.gen(function* () {
        const before = yield* available(id)
        yield* Effect.forkScoped(watched)
        chain.mine([transferTo(address, 90n), transferTo(address, 91n), transferTo(address, 92n)])
        chain.mineMany(3)
        yield* caughtUp(chain)
        yield* ticks(10)
        return (yield* available(id)) - before
      }).pipe(Effect.scoped)
      assert.strictEqual(yield* credited, 181n)
      // a new term begins with what the one before has credited
      assert.strictEqual(yield* credited, 0n)
      yield* TestClock.adjust("2 hours")
      // the four of before are older, and have their turn first
      assert.strictEqual(yield* credited, 182n)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("that is wrong itself holds too, and once the nodes agree it is credited", () =>
    Effect.gen(function* () {
      const { address, events, id, mine, second } = yield* world()
      const transfer = transferTo(address, 200n)
      second.lies.block = withTransfer({ ...transfer, units: 2n })
      mine(transfer)
      yield* untilHeld("disputed")
      yield* ticks(5)
      assert.strictEqual(yield* available(id), 0n)
      delete second.lies.block
      yield* untilStatuses(id, "CONFIRMED")
      assert.strictEqual(yield* available(id), 200n)
      assert.deepStrictEqual(yield* held, [])
      assert.include(events, "arrival.agreed")
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("that has another block at that height disputes it; a made-up block credits nothing", () =>
    Effect.gen(function* () {
      const { address, both, first, id, second } = yield* world()
      // the first node goes on with blocks of its own, from here on
      first.chain.mineMany(1)
      first.chain.reorg(1, [[transferTo(address, 900n)]])
      second.chain.mine()
      both((chain) => chain.mineMany(3))
      yield* untilHeld("disputed")
      yield* ticks(5)
      assert.strictEqual(yield* available(id), 0n)
      assert.match((yield* held)[0]?.said[1]?.says ?? "", /^it has block 0x/u)
      // the lie ends: the chain is followed, what never was goes, and nothing is held any more
      first.chain.reorg(4, [])
      first.chain.restore(second.chain.blocks().slice(-4))
      both((chain) => chain.mineMany(2))
      yield* untilStatuses(id, "REORGED")
      yield* until(
        "nothing is held",
        Effect.map(held, (all) => all.length === 0)
      )
      assert.strictEqual(yield* available(id), 0n)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("that is silent or behind delays and says since when, and delays nothing below the threshold", () =>
    Effect.gen(function* () {
      const { address, events, id, mine, second } = yield* world()
      second.chain.fail("unreachable", 1_000_000)
      mine(transferTo(address, 200n), transferTo(address, 5n))
      yield* until(
        "the small one is credited",
        Effect.map(available(id), (units) => units === 5n)
      )
      yield* untilHeld("waiting")
      yield* ticks(2)
      assert.notInclude(events, "arrival.disputed")
      assert.include(events, "arrival.held")
      assert.match((yield* statusOf("ethereum"))?.notice ?? "", /held for a second node since 2023-11-14T22:1\d/u)
      second.chain.heal()
      second.chain.setNodeLag(3)
      yield* ticks(60)
      assert.strictEqual(yield* available(id), 5n)
      assert.strictEqual((yield* held)[0]?.state, "waiting")
      second.chain.setNodeLag(0)
      yield* until(
        "it is credited",
        Effect.map(available(id), (units) => units === 205n)
      )
      assert.deepStrictEqual(yield* held, [])
    }).pipe(Effect.provide(oneProcess()))
  )

  for (const [what, blind] of [
    [
      "could not read its transaction",
      ({ txHash }: Transfer, lies: Lies) => {
        lies.block = (block) =>
          block.transfers.some((own) => own.txHash === txHash)
            ? { ...without(txHash)(block), unread: [{ txHash, reason: "its trace is too large", gains: null }] }
            : block
      }
    ],
    [
      "says that it does not see what contracts send",
      ({ txHash }: Transfer, lies: Lies) => {
        lies.tip = (tip) => ({ ...tip, unseen: "coin that contracts send" })
        lies.block = without(txHash)
      }
    ],
    [
      "finds so by that very block",
      ({ txHash }: Transfer, lies: Lies) => {
        lies.block = (block) => ({ ...without(txHash)(block), unseen: "coin that contracts send" })
      }
    ]
  ] as const) {
    for (const operators of [
      ["one", "two"],
      ["one", "two", "three"]
    ]) {
      it.effect(`that ${what} denies no deposit: it waits (${operators.length} operators)`, () =>
        Effect.gen(function* () {
          const { address, events, id, mine, second, third } = yield* world(above100, operators)
          const paid = transferTo(address, 900n, { transferIndex: 4_000_000 })
          for (const { lies } of [second, third]) blind(paid, lies)
          mine(paid)
          yield* untilHeld("waiting")
          yield* ticks(60)
          assert.deepStrictEqual(
            events.filter((event) => ["arrival.corrected", "arrival.disputed"].includes(event)),
            []
          )
          yield* untilStatuses(id, "DETECTED")
          for (const { lies } of [second, third]) {
            delete lies.block
            delete lies.tip
          }
          yield* untilStatuses(id, "CONFIRMED")
          assert.strictEqual(yield* available(id), 900n)
          yield* ledgerHolds(id)
        }).pipe(Effect.provide(oneProcess()))
      )
    }
  }

  it.effect("that sees no native transfers of some kind still denies those of a token", () =>
    Effect.gen(function* () {
      const { address, mine, second } = yield* world()
      const paid = transferTo(address, 900n, { contract: "0xdAC17F958D2ee523a2206206994597C13D831ec7" })
      second.lies.tip = (tip) => ({ ...tip, unseen: "coin that contracts send" })
      second.lies.block = without(paid.txHash)
      mine(paid)
      yield* untilHeld("disputed")
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("that leaves the sender out says nothing of a deposit", () =>
    Effect.gen(function* () {
      const { address, events, id, mine, second } = yield* world()
      const paid = transferTo(address, 900n)
      second.lies.block = withTransfer({ ...paid, from: null })
      mine(paid)
      yield* untilHeld("waiting")
      assert.notInclude(events, "arrival.disputed")
      delete second.lies.block
      yield* untilStatuses(id, "CONFIRMED")
      assert.strictEqual(yield* available(id), 900n)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect(
    "knows one of ours by its own hash where it is inside of another's, and says nothing where it cannot read it",
    () =>
      Effect.gen(function* () {
        const { events, id, mine, second } = yield* world()
        const wallet = "0x00000000000000000000000000000000000000A0"
        const put = { network: "ethereum", role: "PAYOUT", seedId: crypto.randomUUID(), index: 0 } as const
        yield* (yield* Writer).submit(id, addWallet({ ...put, ...keyed(wallet) }, presetNetworks))
        const sweep = transferTo(wallet, 900n)
        const bid = { txHash: newTxHash(), innerHash: sweep.txHash }
        yield* signed(id, "ethereum", sweep.txHash)
        second.lies.block = (block) =>
          block.transfers.length === 0
            ? block
            : { ...block, transfers: [], unread: [{ ...bid, reason: "strange", gains: null }] }
        mine({ ...sweep, ...bid })
        yield* untilHeld("waiting")
        assert.notInclude(events, "arrival.disputed")
        delete second.lies.block
        yield* until(
          "it is confirmed",
          Effect.map(
            Effect.flatMap(Queries, ({ records }) => records(id, WalletTransfer)),
            ([one]) => one?.status === "CONFIRMED" && one.txHash === sweep.txHash
          )
        )
      }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("agrees where no node can tell the sender", () =>
    Effect.gen(function* () {
      const { address, id, mine } = yield* world()
      mine(transferTo(address, 900n, { from: null }))
      yield* untilStatuses(id, "CONFIRMED")
      assert.strictEqual(yield* available(id), 900n)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("that never answers keeps nothing else from being read", () =>
    Effect.gen(function* () {
      const { address, id, mine, second } = yield* world()
      Object.assign(second.reader, { tip: Effect.never })
      mine(transferTo(address, 200n))
      for (const units of [1n, 2n, 3n]) {
        mine(transferTo(address, units))
        yield* ticks(4)
      }
      assert.strictEqual(yield* available(id), 6n)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("lets held deposits take nobody's turn, however many there are", () =>
    Effect.gen(function* () {
      const { address, first, id, mine, other, second } = yield* world()
      first.chain.mine(
        Array.from({ length: defaultWatchLimits.confirmationsPerPassMax + 5 }, () => transferTo(address, 200n))
      )
      second.chain.mine()
      mine(transferTo(other, 150n))
      yield* until(
        "the true one is credited",
        Effect.map(available(id), (units) => units === 150n)
      )
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("of the same operator is none: then the setting says whether arrivals count", () =>
    Effect.gen(function* () {
      const { address, id, mine } = yield* world(above100, ["one", "one"])
      mine(transferTo(address, 200n))
      yield* until(
        "it is credited",
        Effect.map(available(id), (units) => units === 200n)
      )
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("that must be there and is not holds what is above the threshold", () =>
    Effect.gen(function* () {
      const { address, id, mine } = yield* world({ ...above100, alone: "hold" }, ["one", "one"])
      mine(transferTo(address, 200n), transferTo(address, 5n))
      yield* untilHeld("waiting")
      assert.strictEqual(yield* available(id), 5n)
      assert.include((yield* held)[0]?.said[0]?.says ?? "", "no node of a second operator is configured")
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("is overruled by two people, and not by one", () =>
    Effect.gen(function* () {
      const { address, id, mine, second } = yield* world()
      second.lies.block = (block) => ({ ...block, transfers: [] })
      const [good, bad] = [transferTo(address, 200n), transferTo(address, 300n)]
      mine(good, bad)
      yield* until(
        "both are held",
        Effect.map(held, (all) => all.length === 2)
      )
      const { decide } = yield* HeldArrivals
      const blockHash = (yield* held)[0]?.blockHash ?? ""
      const which = ({ txHash }: Transfer) => ({ network: "ethereum", txHash, transferIndex: 0, blockHash })
      const word = { reason: "seen on three explorers", at: 1 }
      yield* decide(which(good), { ...word, verdict: "accept", by: "alice" })
      yield* ticks(60)
      assert.strictEqual(yield* available(id), 0n)
      yield* decide(which(good), { ...word, verdict: "accept", by: "bob" })
      yield* decide(which(bad), { ...word, verdict: "refuse", by: "bob" })
      yield* until(
        "the good one is credited",
        Effect.map(available(id), (units) => units === 200n)
      )
      // what people refused stays refused, whatever nodes say later
      delete second.lies.block
      yield* ticks(60)
      assert.strictEqual(yield* available(id), 200n)
      assert.deepStrictEqual((yield* depositsOf(id)).map(({ status, units }) => [units, status]).toSorted(), [
        [200n, "CONFIRMED"],
        [300n, "DETECTED"]
      ])
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("credits nothing that people refuse while the nodes are being asked", () =>
    Effect.gen(function* () {
      const { address, id, mine, second } = yield* world()
      second.lies.block = (block) => ({ ...block, transfers: [] })
      mine(transferTo(address, 200n))
      yield* untilHeld("disputed")
      const [entry] = yield* held
      if (entry === undefined) return assert.fail("nothing is held")
      const [asked, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const { block } = second.reader
      delete second.lies.block
      Object.assign(second.reader, {
        block: (hash: string) =>
          Effect.andThen(Deferred.succeed(asked, undefined), Effect.andThen(Deferred.await(goOn), block(hash)))
      })
      yield* until("the node is asked again", Deferred.isDone(asked))
      const { decide } = yield* HeldArrivals
      yield* decide(entry, { verdict: "refuse", by: "bob", reason: "it was made up", at: 1 })
      yield* Deferred.succeed(goOn, undefined)
      yield* ticks(60)
      assert.strictEqual(yield* available(id), 0n)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("credits nothing by what people accepted of another amount in the same place", () =>
    Effect.gen(function* () {
      const { address, both, first, id, mine, second } = yield* world()
      second.lies.block = (block) => ({ ...block, transfers: [] })
      const paid = transferTo(address, 200n)
      mine(paid)
      yield* untilHeld("disputed")
      const [entry] = yield* held
      if (entry === undefined) return assert.fail("nothing is held")
      const { decide } = yield* HeldArrivals
      const word = { verdict: "accept", reason: "seen on three explorers", at: 1 } as const
      yield* decide(entry, { ...word, by: "alice" })
      assert.strictEqual(yield* decide(entry, { ...word, by: "bob" }), "accepted")
      const stood = first.chain.blocks().slice(-4)
      both((chain) => chain.reorg(4, [[], [], [], [], []]))
      yield* untilStatuses(id, "REORGED")
      // the block comes back, and the node says another amount of it
      first.lies.block = withTransfer({ ...paid, units: 5_000n })
      both((chain) => chain.restore(stood))
      both((chain) => chain.mineMany(3))
      yield* ticks(60)
      assert.deepStrictEqual(
        (yield* depositsOf(id)).map(({ status, units }) => [units, status]),
        [[5_000n, "DETECTED"]]
      )
      assert.strictEqual(yield* available(id), 0n)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect(
    "keeps a deposit that is held for long from being given up by the word of one node: its block is never read again",
    () =>
      Effect.gen(function* () {
        const { address, both, events, first, id, second } = yield* world()
        const paid = transferTo(address, 200n)
        second.lies.block = (block) => ({ ...block, transfers: [] })
        both((chain) => chain.mine([paid]))
        const { number } = first.chain.latest()
        both((chain) => chain.mineMany(20))
        yield* untilHeld("disputed")
        const other = newTxHash()
        first.lies.header = (header) => ({
          ...header,
          ...(header.number === number && { hash: other }),
          ...(header.number === number + 1 && { parentHash: other })
        })
        yield* until(
          "it is disputed",
          Effect.sync(() => events.includes("chain.reorg_disputed"))
        )
        yield* ticks(20)
        assert.deepStrictEqual(
          (yield* depositsOf(id)).map(({ status }) => status),
          ["DETECTED"]
        )
        delete first.lies.header
        delete second.lies.block
        yield* untilStatuses(id, "CONFIRMED")
        assert.strictEqual(yield* available(id), 200n)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("keeps a reorganisation that one node alone claims from reversing what was credited; reading goes on", () =>
    Effect.gen(function* () {
      const { address, both, events, first, id, mine, second } = yield* world()
      mine(transferTo(address, 200n))
      yield* untilStatuses(id, "CONFIRMED")
      const lost = first.chain.blocks().slice(-4)
      first.chain.reorg(4, [[], [], [], [], []])
      second.chain.mineMany(1)
      yield* until(
        "it is disputed",
        Effect.sync(() => events.includes("chain.reorg_disputed"))
      )
      second.chain.mine([transferTo(address, 7n)])
      second.chain.mineMany(3)
      yield* until(
        "the other node is read",
        Effect.map(available(id), (units) => units === 207n)
      )
      assert.notInclude(
        (yield* depositsOf(id)).map(({ status }) => status),
        "REORGED"
      )
      assert.include((yield* statusOf("ethereum"))?.notice ?? "", "denies a block that others have")
      // it is used again once it has the block again
      first.chain.restore([
        ...lost,
        ...second.chain.blocks().filter(({ number }) => number > (lost.at(-1)?.number ?? 0))
      ])
      yield* ticks(40)
      both((chain) => chain.mineMany(1))
      yield* until(
        "the preferred node is asked again",
        Effect.map(statusOf("ethereum"), (status) => status?.notice === null && status.problem === null)
      )
      assert.strictEqual(yield* available(id), 207n)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect(
    "keeps a transaction that one node shows a second time, in a later block, from reversing what was credited",
    () =>
      Effect.gen(function* () {
        const { address, events, first, id, mine, second } = yield* world()
        const paid = transferTo(address, 200n)
        mine(paid)
        yield* untilStatuses(id, "CONFIRMED")
        first.chain.mine([paid])
        second.chain.mine()
        yield* until(
          "it is disputed",
          Effect.sync(() => events.includes("chain.reorg_disputed"))
        )
        yield* ticks(20)
        assert.strictEqual(yield* available(id), 200n)
        yield* untilStatuses(id, "CONFIRMED")
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("keeps a transfer to a wallet that one node shows again, in a later block, from being taken back", () =>
    Effect.gen(function* () {
      const { events, first, id, mine, second } = yield* world()
      const wallet = "0x00000000000000000000000000000000000000A0"
      const put = { network: "ethereum", role: "PAYOUT", seedId: crypto.randomUUID(), index: 0 } as const
      yield* (yield* Writer).submit(id, addWallet({ ...put, ...keyed(wallet) }, presetNetworks))
      const ofWallet = Effect.flatMap(Queries, ({ records }) => records(id, WalletTransfer))
      const status = Effect.map(ofWallet, ([one]) => one?.status)
      const paid = transferTo(wallet, 200n)
      mine(paid)
      yield* until(
        "it is booked",
        Effect.map(status, (now) => now === "CONFIRMED")
      )
      const booked = yield* ofWallet
      first.chain.mine([paid])
      second.chain.mine()
      yield* until(
        "it is disputed",
        Effect.sync(() => events.includes("chain.reorg_disputed"))
      )
      yield* ticks(20)
      assert.deepStrictEqual(yield* ofWallet, booked)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("lets a reorganisation through that both claim", () =>
    Effect.gen(function* () {
      const { address, both, id, mine } = yield* world()
      mine(transferTo(address, 200n))
      yield* untilStatuses(id, "CONFIRMED")
      both((chain) => chain.reorg(4, [[], [], [], [], []]))
      yield* untilStatuses(id, "REORGED")
      assert.strictEqual(yield* available(id), 0n)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(oneProcess()))
  )

  it.effect("keeps a tip that is far ahead from stopping the network", () =>
    Effect.gen(function* () {
      const { address, first, id, mine } = yield* world()
      first.lies.tip = ({ latest, ...tip }) => ({
        ...tip,
        confirmed: 1_000_000_000,
        latest: { ...latest, number: 1_000_000_000, hash: newTxHash() }
      })
      mine(transferTo(address, 200n), transferTo(address, 4n))
      yield* until(
        "both are credited",
        Effect.map(available(id), (units) => units === 204n)
      )
      // it does not answer any more: the other is asked, which is far below
      first.chain.fail("unreachable", 1_000_000)
      mine(transferTo(address, 3n))
      yield* until(
        "the other node is read",
        Effect.map(available(id), (units) => units === 207n)
      )
    }).pipe(Effect.provide(oneProcess()))
  )
})
