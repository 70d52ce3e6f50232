import { assert, describe, layer, type Vitest } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { TransactionStatus, SendOrder, SignedAttempt } from "@bursar/core/port/ChainSender"
import type { Fault } from "@bursar/simulator-bitcoin/Fault"
import { SenderWorld } from "@bursar/testkit/suites/sender/SenderWorld"
import { BitcoinSenderWorld, senderWorldOn } from "./support/SenderWorld.ts"
import { coreFaults, coreLayer, devnetLayer, skipReason } from "./support/Bitcoind.ts"
import { orderOf, pay, sentOf, signedOf } from "./support/orders.ts"
import { ownAddress, World } from "./support/World.ts"

const forever = 1_000_000

const methods = [
  "getblockchaininfo",
  "gettxout",
  "getrawtransaction",
  "getblockheader",
  "getblock",
  "getmempoolentry",
  "getindexinfo"
]

const ways = ["drop", "empty", "lag", "refuse", "deny", "garbage"] as const

const faultOf = (way: (typeof ways)[number], method: string): Fault =>
  way === "deny"
    ? // It says that it does not know what it knows.
      { kind: "refuse", times: forever, method, error_code: -5, error_message: "No such thing" }
    : { kind: way, times: forever, method, lag_blocks: 4, garbage: "wrong_types" }

/** What may be said while the node is not to be trusted: the truth, or less, and never anything else. */
const isHonest = (truth: TransactionStatus, said: TransactionStatus): boolean => {
  if (said._tag === "Pending") return true
  if (said._tag === "Included") return (truth._tag === "Final" || truth._tag === "Included") && said.hash === truth.hash
  return JSON.stringify(said, text) === JSON.stringify(truth, text)
}

/** `JSON` knows no bigint. A proof may be less deep on a node that lags. */
const text = (name: string, value: unknown): unknown =>
  name === "detail" ? "" : typeof value === "bigint" ? `${value}` : value

const withFault = <A, E, R>(fault: Fault, what: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { faults } = yield* World
    if (faults === undefined) return yield* Effect.die(new Error("there is no node to break"))
    yield* faults.inject(fault)
    return yield* Effect.ensuring(what, faults.clear)
  })

interface Case {
  readonly order: SendOrder
  readonly sent: ReadonlyArray<SignedAttempt>
  readonly truth: TransactionStatus
}

const tests = (it: Vitest.MethodsNonLive<SenderWorld | BitcoinSenderWorld | World>) => {
  const cases = Effect.gen(function* () {
    const { finalize, include, rival, sender } = yield* SenderWorld
    const { fund, keys } = yield* BitcoinSenderWorld
    const payer = keys.next().p2wpkh
    const [one, two, three, four] = yield* fund([payer, payer, payer, payer])
    if (one === undefined || two === undefined || three === undefined || four === undefined) {
      return yield* Effect.die(new Error("no coins"))
    }
    const orders = [one, two, three, four].map((utxo) => orderOf([utxo], [pay(ownAddress, 100_000n)]))
    const [waiting, done, lost, fresh] = orders
    if (waiting === undefined || done === undefined || lost === undefined || fresh === undefined) {
      return yield* Effect.die(new Error("no orders"))
    }
    const never = yield* signedOf(waiting)
    const final = yield* sentOf(done)
    yield* include
    const replaced = yield* signedOf(lost)
    yield* rival(lost)
    yield* finalize
    const included = yield* sentOf(fresh)
    yield* include
    const all = [
      { order: waiting, sent: [never.signed] },
      { order: done, sent: [final.signed] },
      { order: lost, sent: [replaced.signed] },
      { order: fresh, sent: [included.signed] }
    ]
    const found = yield* Effect.forEach(all, ({ order, sent }) =>
      Effect.map(sender.status(order, sent), (truth): Case => ({ order, sent, truth }))
    )
    assert.deepStrictEqual(
      found.map(({ truth }) => truth._tag),
      ["Pending", "Final", "Invalidated", "Included"]
    )
    return found
  })

  it.effect("rules 3 and 8: concludes nothing but the truth, whatever call fails and in whatever way", () =>
    Effect.gen(function* () {
      const { senderWith } = yield* BitcoinSenderWorld
      const found = yield* cases
      const near = { searchBlocksMax: 15 }
      const sender = senderWith(near)
      for (const { order, sent, truth } of found) assert.deepStrictEqual(yield* sender.status(order, sent), truth)
      for (const way of ways) {
        for (const method of methods) {
          for (const { order, sent, truth } of found) {
            // One that has seen it all before, and one that is new.
            for (const asked of [sender, senderWith(near)]) {
              const said = yield* withFault(faultOf(way, method), Effect.result(asked.status(order, sent)))
              if (Result.isFailure(said)) continue
              assert.isTrue(
                isHonest(truth, said.success),
                `${way} ${method}: ${truth._tag} became ${said.success._tag}`
              )
            }
          }
        }
      }
      for (const { order, sent, truth } of found) assert.deepStrictEqual(yield* sender.status(order, sent), truth)
    })
  )

  it.effect("rule 8: an output of which the node knows nothing is neither spent nor lost", () =>
    Effect.gen(function* () {
      const { sender } = yield* SenderWorld
      const [waiting] = yield* cases
      if (waiting === undefined) return assert.fail("no case")
      const fault: Fault = { kind: "empty", times: forever, method: "gettxout" }
      const error = yield* withFault(fault, Effect.flip(sender.status(waiting.order, waiting.sent)))
      assert.strictEqual(error.reason, "absent")
    })
  )

  it.effect("proves what is true, or says that it cannot tell, whatever call fails", () =>
    Effect.gen(function* () {
      const { sender, unknownHash } = yield* SenderWorld
      const [, done] = yield* cases
      const [sent] = done?.sent ?? []
      if (sent === undefined) return assert.fail("no case")
      const claimed = { txHash: sent.hash, contract: null, units: 100_000n, to: ownAddress, senders: [], memo: null }
      assert.strictEqual((yield* sender.prove(claimed)).verdict, "PROVEN")
      for (const way of ways) {
        for (const method of methods) {
          const fault = faultOf(way, method)
          const proof = yield* withFault(fault, sender.prove(claimed))
          // A node that is behind in one answer alone finds the block too young, or does not know it.
          const may =
            way === "lag" || way === "deny"
              ? ["PROVEN", "NOT_FINAL", "UNREADABLE", "NOT_PROVEN"]
              : ["PROVEN", "UNREADABLE"]
          assert.include(may, proof.verdict, `${way} ${method}`)
          const wrong = yield* withFault(fault, sender.prove({ ...claimed, units: 1n }))
          assert.notStrictEqual(wrong.verdict, "PROVEN")
          assert.notStrictEqual(
            (yield* withFault(fault, sender.prove({ ...claimed, txHash: unknownHash }))).verdict,
            "PROVEN"
          )
        }
      }
    })
  )

  it.effect("can prove nothing by a node that is behind what was seen before", () =>
    Effect.gen(function* () {
      const { sender, unknownHash } = yield* SenderWorld
      const claimed = { txHash: unknownHash, contract: null, units: 1n, to: ownAddress, senders: [], memo: null }
      assert.strictEqual((yield* sender.prove(claimed)).verdict, "UNREADABLE")
      const lagging: Fault = { kind: "lag", times: forever, lag_blocks: 3 }
      const proof = yield* withFault(lagging, sender.prove(claimed))
      assert.strictEqual(proof.verdict, "UNREADABLE")
      assert.match(proof.verdict === "UNREADABLE" ? proof.reason : "", /was seen before/)
    })
  )

  const given = Effect.gen(function* () {
    const { faults } = yield* World
    const seen: Readonly<Record<string, number>> = yield* faults?.seen ?? Effect.succeed({})
    return seen["sendrawtransaction"] ?? 0
  })

  it.effect("rule 1: asks the node for nothing that changes it when it builds, follows and proves", () =>
    Effect.gen(function* () {
      const { sender } = yield* SenderWorld
      const { fund, keys } = yield* BitcoinSenderWorld
      const utxos = yield* fund([keys.next().p2wpkh])
      const before = yield* given
      const order = orderOf(utxos, [pay(ownAddress, 100_000n)])
      const { signed } = yield* signedOf(order)
      yield* sender.status(order, [signed])
      yield* sender.preflight(pay(ownAddress, 1_000n))
      const claimed = { txHash: signed.hash, contract: null, units: 100_000n, to: ownAddress, senders: [], memo: null }
      assert.strictEqual((yield* sender.prove(claimed)).verdict, "UNREADABLE")
      const after = yield* given
      assert.strictEqual(after, before)
    })
  )
}

const title = "a sender of bitcoin and a node that fails"
layer(senderWorldOn(devnetLayer), { excludeTestServices: true })(`${title}, on the devnet`, tests)

describe.skipIf(coreFaults.length === 0)(`Bitcoin Core${skipReason ?? ""}`, () => {
  layer(senderWorldOn(coreLayer), { excludeTestServices: true })(`${title}, on Bitcoin Core`, tests)
})
