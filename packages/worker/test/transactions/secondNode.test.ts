import type { Tip } from "@bursar/core/port/Chain"
import type { ChainSender, Proof, TransactionStatus } from "@bursar/core/port/ChainSender"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { Queries } from "@bursar/core/store/Queries"
import { emptyState } from "@bursar/memory"
import { makeFakeChain } from "@bursar/testkit/fixtures/FakeChain"
import type { FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { poolSender } from "../../src/nodes/poolSender.ts"
import { fakeNetwork } from "../fakeNetwork.ts"
import {
  allOver,
  ledgerHolds,
  mineUntil,
  operationsOf,
  pay,
  payer,
  processOver,
  receiver,
  sending,
  type Tested,
  tick,
  timesPaid
} from "./world.ts"

/** What a node says of its transactions in place of what it knows. */
type Lie = (hash: string, true_: TransactionStatus) => TransactionStatus

const final = (hash: string, effect: "done" | "reverted" | "missing"): TransactionStatus => ({
  _tag: "Final",
  hash,
  blockNumber: 3,
  blockTime: 1_700_000_000_000,
  fee: 1n,
  effect
})

/** Where nodes stand that are far beyond what is asked about. */
const tip: Tip = {
  latest: { number: 1_000_000, hash: "0xtip", parentHash: "0xparent", time: 1_700_000_000_000 },
  confirmed: 1_000_000
}

/** A network with nodes of two operators, of which the first can be made to lie about the newest transaction, or the second to be silent. */
const world = (network: Tested) => {
  const fake = fakeNetwork({ network })
  const hands: { lie?: Lie; silent: boolean; confirmed: number; balance?: bigint; proof?: Proof; otherProof: Proof } = {
    silent: false,
    confirmed: tip.confirmed,
    otherProof: { verdict: "NOT_PROVEN", reason: "it is not there" }
  }
  const { reader } = makeFakeChain({ network })
  const lying: ChainSender = {
    ...fake.sender,
    status: (order, transactions) =>
      Effect.map(fake.sender.status(order, transactions), (status) => {
        const hash = transactions.at(-1)?.hash
        return hash === undefined ? status : (hands.lie?.(hash, status) ?? status)
      }),
    balance: (address, contract) =>
      Effect.map(fake.sender.balance(address, contract), (units) => hands.balance ?? units),
    prove: (claimed) => (hands.proof === undefined ? fake.sender.prove(claimed) : Effect.succeed(hands.proof))
  }
  const second: ChainSender = {
    ...fake.sender,
    status: (order, transactions) => (hands.silent ? Effect.never : fake.sender.status(order, transactions)),
    balance: (address, contract) => (hands.silent ? Effect.never : fake.sender.balance(address, contract)),
    prove: () => (hands.silent ? Effect.never : Effect.succeed(hands.otherProof))
  }
  const at = (sender: ChainSender, operator: string) => ({
    reader: { ...reader, tip: Effect.sync(() => ({ ...tip, confirmed: hands.confirmed })) },
    sender,
    operator
  })
  const events: Array<string> = []
  return {
    hands,
    events,
    logged: Logger.layer([Logger.make(({ message }) => void events.push(String(message)))]),
    fake: { ...fake, sender: poolSender([at(lying, "one"), at(second, "two")]) } satisfies FakeSender
  }
}

const lies = [
  ["it failed, though it did not", (hash) => final(hash, "reverted")],
  ["it is done, though it is not", (hash) => final(hash, "done")],
  ["it did nothing, though nobody knows", (hash) => final(hash, "missing")],
  [
    "it can never take effect, though it can",
    () => ({ _tag: "Invalidated", reason: "expired_unsent", by: null, detail: "made up" })
  ],
  [
    "another took its place, though none did",
    () => ({ _tag: "Invalidated", reason: "replaced_on_chain", by: "0xmade-up", detail: "made up" })
  ]
] as const satisfies ReadonlyArray<readonly [string, Lie]>

describe("a node that lies about a payment of ours", () => {
  for (const network of ["ethereum", "tron", "bitcoin", "stellar"] as const) {
    for (const [what, lie] of lies) {
      it.effect(`and says that ${what}: nothing is concluded and nothing is paid again (${network})`, () => {
        const { events, fake, hands, logged } = world(network)
        return Effect.gen(function* () {
          yield* TestClock.setTime(1_700_000_000_000)
          const { id } = yield* payer(network, fake)
          yield* Effect.forkScoped(Effect.provide(sending(fake), logged))
          hands.lie = lie
          const made = yield* pay(id, network, 1)
          const queries = yield* Queries
          // nothing is mined: what is said to be final is not
          for (let n = 0; n < 150; n++) yield* tick
          const [operation] = yield* operationsOf(id, [made])
          assert.strictEqual(operation?.status, "SENT")
          const transactions = yield* queries.records(id, OutboundTransaction)
          assert.strictEqual(transactions.length, 1, "no second transaction pays it")
          assert.isNull(transactions[0]?.endedAt)
          assert.match(transactions[0]?.problem ?? "", /node 1 of 2 \(one\): .*node 2 of 2 \(two\): it/u)
          assert.include(events, "transaction.disputed")
          delete hands.lie
          yield* mineUntil(fake, "it is over", allOver(id, [made]))
          assert.strictEqual((yield* operationsOf(id, [made]))[0]?.status, "SETTLED")
          assert.strictEqual(timesPaid(fake, receiver(network, 1)), 1)
          yield* ledgerHolds(id)
        }).pipe(Effect.provide(processOver(emptyState(), fake)))
      })
    }
  }

  it.effect("holds up no other payment", () => {
    const { fake, hands } = world("ethereum")
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { id } = yield* payer("ethereum", fake)
      yield* Effect.forkScoped(sending(fake))
      const disputed = yield* pay(id, "ethereum", 1)
      let victim: string | undefined
      hands.lie = (hash, status) => {
        victim ??= hash
        return hash === victim ? final(hash, "reverted") : status
      }
      yield* tick
      const others = [yield* pay(id, "ethereum", 2), yield* pay(id, "ethereum", 3)]
      yield* mineUntil(fake, "the others are over", allOver(id, others))
      const all = yield* operationsOf(id, [disputed, ...others])
      assert.deepStrictEqual(
        all.map(({ status }) => status === "SETTLED"),
        [false, true, true]
      )
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })
})

describe("a second node that does not answer, or is behind", () => {
  it.effect("delays the end of a payment, and says so", () => {
    const { events, fake, hands } = world("ethereum")
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { id } = yield* payer("ethereum", fake)
      yield* Effect.forkScoped(sending(fake))
      hands.silent = true
      const made = yield* pay(id, "ethereum", 1)
      for (let n = 0; n < 60; n++) {
        fake.mine(1_700_000_000_000 + n * 1_000)
        yield* tick
      }
      assert.isFalse(yield* allOver(id, [made]))
      const [transaction] = yield* (yield* Queries).records(id, OutboundTransaction)
      assert.match(transaction?.problem ?? "", /waiting for a second node.*no answer within/u)
      assert.notInclude(events, "transaction.disputed")
      hands.silent = false
      yield* mineUntil(fake, "it is over", allOver(id, [made]))
      assert.strictEqual(timesPaid(fake, receiver("ethereum", 1)), 1)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })

  it.effect("that is behind leaves a payment included, and disputes nothing", () => {
    const { fake, hands } = world("ethereum")
    return Effect.gen(function* () {
      hands.lie = (hash) => final(hash, "done")
      hands.confirmed = 2
      const status = yield* fake.sender.status({ from: "a", guard: { _tag: "Expiry" } }, [
        { hash: "0x1", raw: Uint8Array.of(), validUntil: null }
      ])
      assert.deepStrictEqual(status, { _tag: "Included", hash: "0x1", blockNumber: 3 })
    })
  })
})

describe("what nodes of two operators say", () => {
  it.effect("of what an address holds: the least counts, and one node alone shows nothing", () => {
    const { fake, hands } = world("ethereum")
    return Effect.gen(function* () {
      fake.fund("a", null, 5n)
      hands.balance = 1_000n
      assert.strictEqual(yield* fake.sender.balance("a", null), 5n)
      hands.balance = 3n
      assert.strictEqual(yield* fake.sender.balance("a", null), 3n)
    })
  })

  it.effect("of a claimed payment: the proof of one proves nothing where the other denies it", () => {
    const { fake, hands } = world("ethereum")
    return Effect.gen(function* () {
      hands.proof = { verdict: "PROVEN", detail: "made up", fee: null }
      const claimed = { txHash: "0x1", contract: null, units: 1n, to: "a", senders: [], memo: null }
      const proof = yield* fake.sender.prove(claimed)
      assert.strictEqual(proof.verdict, "UNREADABLE")
      assert.include(proof.verdict === "UNREADABLE" ? proof.reason : "", "node 2 of 2 (two): it is not there")
    })
  })

  it.effect("of what a claimed payment cost: it is known only where both say the same", () => {
    const { fake, hands } = world("ethereum")
    return Effect.gen(function* () {
      const claimed = { txHash: "0x1", contract: null, units: 1n, to: "a", senders: ["b"], memo: null }
      hands.proof = { verdict: "PROVEN", detail: "it paid", fee: 21n }
      hands.otherProof = { verdict: "PROVEN", detail: "it paid", fee: 21n }
      assert.deepStrictEqual(yield* fake.sender.prove(claimed), hands.proof)
      hands.proof = { verdict: "PROVEN", detail: "it paid", fee: 10n ** 18n }
      assert.deepStrictEqual(yield* fake.sender.prove(claimed), { ...hands.proof, fee: null })
      hands.otherProof = { ...hands.proof, innerHash: "0xsigned" }
      assert.strictEqual((yield* fake.sender.prove(claimed)).verdict, "UNREADABLE", "one hides what was signed")
    })
  })

  it.effect(
    "of a claimed payment that one sees in a block and none denies: it is not final, also where the other cannot tell",
    () => {
      const { events, fake, hands, logged } = world("ethereum")
      return Effect.gen(function* () {
        const claimed = { txHash: "0x1", contract: null, units: 1n, to: "a", senders: [], memo: null }
        const verdict = Effect.map(fake.sender.prove(claimed), (proof) => proof.verdict)
        const open = { verdict: "NOT_FINAL", reason: "it is in block 9" } as const
        const paid = { verdict: "PROVEN", detail: "it paid", fee: null } as const
        const denied = { verdict: "NOT_PROVEN", reason: "it is not there" } as const
        const silent = { verdict: "UNREADABLE", reason: "the node is down" } as const
        for (const [one, other, both] of [
          [open, open, "NOT_FINAL"],
          [open, paid, "NOT_FINAL"],
          [paid, open, "NOT_FINAL"],
          [open, denied, "UNREADABLE"],
          [denied, open, "UNREADABLE"],
          [open, silent, "NOT_FINAL"],
          [silent, open, "NOT_FINAL"],
          [paid, silent, "NOT_FINAL"],
          [silent, paid, "NOT_FINAL"],
          [silent, denied, "UNREADABLE"],
          [silent, silent, "UNREADABLE"]
        ] as const) {
          hands.proof = one
          hands.otherProof = other
          assert.strictEqual(yield* verdict, both, `${one.verdict} and ${other.verdict}`)
        }
        assert.notInclude(events, "transaction.proof_disputed")
      }).pipe(Effect.provide(logged))
    }
  )

  it.effect("of a claimed payment: what one denies is denied only where the other does not prove it", () => {
    const { events, fake, hands, logged } = world("ethereum")
    return Effect.gen(function* () {
      const claimed = { txHash: "0x1", contract: null, units: 1n, to: "a", senders: [], memo: null }
      hands.proof = { verdict: "NOT_PROVEN", reason: "it is not there" }
      assert.strictEqual((yield* fake.sender.prove(claimed)).verdict, "NOT_PROVEN")
      hands.otherProof = { verdict: "PROVEN", detail: "it paid", fee: null }
      const proof = yield* fake.sender.prove(claimed)
      assert.strictEqual(proof.verdict, "UNREADABLE")
      assert.include(proof.verdict === "UNREADABLE" ? proof.reason : "", "it is not there")
      assert.include(events, "transaction.proof_disputed")
    }).pipe(Effect.provide(logged))
  })
})
