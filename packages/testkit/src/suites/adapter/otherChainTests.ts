import type { NetworkTraits } from "@bursar/core/money/Network"
import { ChainError, type ChainReader, type NodeOpinion } from "@bursar/core/port/Chain"
import type { ChainSender, ReplayGuard } from "@bursar/core/port/ChainSender"
import type { SweepQuestion, TransactionPlanner } from "@bursar/core/port/TransactionPlanner"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { SuiteIt } from "../harness.ts"
import { AdapterWorld } from "./AdapterWorld.ts"

type Questions = Readonly<Record<string, Effect.Effect<unknown, ChainError>>>

/** Fails as the first node does of which an opinion was asked: a node that is not to be believed has none. */
const firstFailure = (opinions: Effect.Effect<ReadonlyArray<NodeOpinion>>, network: string) =>
  Effect.flatMap(opinions, (all) => {
    const [first] = all
    return all.every(({ says }) => says._tag === "Silent") && first?.says._tag === "Silent"
      ? Effect.fail(new ChainError({ network, reason: "other_chain", doing: "ask", detail: first.says.detail }))
      : Effect.succeed(all)
  })

/** It must be refused for that reason; one of several nodes is named before it. */
const assertRefused = Effect.fnUntraced(function* (
  name: string,
  question: Effect.Effect<unknown, unknown>,
  { detail, network, reason }: ChainError
) {
  const refused = yield* Effect.flip(question)
  assert.instanceOf(refused, ChainError, name)
  if (!(refused instanceof ChainError)) return
  assert.deepStrictEqual([refused.network, refused.reason], [network, reason], name)
  assert.include(refused.detail, detail, name)
})

/** Everything that a reader may be asked, by the names of its port. */
const readerQuestions = ({ balanceChanges, mempool, several, ...reader }: ChainReader, address: string): Questions => {
  const block = { number: 1, hash: "1".repeat(64), parentHash: "0".repeat(64), time: 0 }
  return {
    tip: reader.tip,
    header: reader.header(1),
    block: reader.block(block.hash),
    blockAt: reader.blockAt(0),
    holdings: reader.holdings([address]),
    ...(balanceChanges && { balanceChanges: balanceChanges(block, [address]) }),
    ...(mempool && { mempool: mempool().changes }),
    ...(several && { several: firstFailure(several.opinions(block), reader.network) })
  }
}

/** What a reader says of itself without asking its node. */
const readerFacts = [
  "network",
  "requiredConfirmations",
  "reorgDepthMax",
  "pollIntervalMs",
  "holdingsMax",
  "blockTimeSlackMs",
  "renumbered",
  "nodes"
]

const guardOf = ({ accountModel }: NetworkTraits, account: string): ReplayGuard => {
  switch (accountModel) {
    case "nonce":
    case "sequence":
      return { _tag: "Sequence", account, sequence: 1n }
    case "utxo":
      return { _tag: "Utxos", utxos: [] }
    case "expiry":
      return { _tag: "Expiry" }
  }
}

/** Everything that a planner may be asked and may fail, by the names of its port. */
const plannerQuestions = ({ provisioner, ...planner }: TransactionPlanner, address: string) => {
  const wallet = { address, nextSequence: null, openTransactions: 0, committed: [] }
  const accounts = { wallet, channels: [] }
  const sweep: SweepQuestion = {
    to: address,
    account: address,
    contract: null,
    deposits: [{ txHash: "1".repeat(64), transferIndex: 0, address, units: 20_000n }],
    costTimes: 3,
    nextSequence: null,
    budgetPercent: 300,
    keeps: 0n,
    topUp: "possible",
    publicKeyOf: () => Effect.succeed(undefined)
  }
  const payments = [{ id: "one", to: address, contract: null, units: 20_000n, alone: false }]
  return {
    payouts: planner.payouts({ accounts, payments, underWayMax: 1, freeUtxos: Effect.succeed([]) }),
    sweep: planner.sweep(sweep),
    topUp: planner.topUp({ accounts, to: address, units: 1n }),
    ...(provisioner && {
      look: provisioner.look({ address, role: "PAYOUT" }, [], 0n),
      lend: provisioner.lend([wallet])
    })
  }
}

/** What a planner and its provisioner say without asking their node. */
const plannerFacts = ["room", "sweptTogether", "provisioner", "walletKeeps"]

/** Everything that a sender may be asked and may fail, by the names of its port. */
const senderQuestions = (
  sender: ChainSender,
  traits: NetworkTraits,
  address: string
): Readonly<Record<string, Effect.Effect<unknown, unknown>>> => {
  const guard = guardOf(traits, address)
  const payment = { to: address, contract: null, units: 20_000n, memo: null }
  const order = { from: address, guard, payments: [payment], validUntil: 0, salt: 0, drain: false, replacing: null }
  const block = { number: 1, hash: "1".repeat(64) }
  return {
    firstSequence: sender.firstSequence(address),
    balance: sender.balance(address, null),
    build: sender.build(order),
    status: sender.status(order, []),
    ...(sender.statusSince && { statusSince: sender.statusSince(block, order, []) }),
    preflight: sender.preflight(payment)
  }
}

/** What a sender says of itself without asking its node. */
const senderFacts = ["network", "validityMs", "rebroadcastAfterMs", "replaceAfterMs", "paymentsMax"]

/** What a sender may be asked and never fails. */
const senderAnswers = ["broadcast", "estimate", "prove"]

/** While the node is of another chain, nothing that it says is worth anything: addresses look right, and all else is wrong. */
export const otherChainTests = (it: SuiteIt<AdapterWorld>, timeoutMs: number, traits: NetworkTraits): void => {
  const world = Effect.gen(function* () {
    const { account, adapter, astray } = yield* AdapterWorld
    const [first] = yield* adapter.keys.derive(account.key, 0, 1)
    const address = first === undefined ? "" : (adapter.accountOf?.(first.address) ?? first.address)
    return { adapter, astray, address, error: yield* Effect.flip(astray.verifyChain) }
  })

  it.effect(
    "tells a node of its chain from one of another",
    () =>
      Effect.gen(function* () {
        const { adapter, astray, error } = yield* world
        assert.isNotEmpty(adapter.chainId)
        assert.notStrictEqual(astray.chainId, adapter.chainId)
        yield* adapter.verifyChain
        assert.strictEqual(error._tag, "ChainError")
        assert.strictEqual(error.network, traits.name)
        assert.strictEqual(error.reason, "other_chain")
      }),
    timeoutMs
  )

  it.effect(
    "answers no question to a reader while its node is of another chain",
    () =>
      Effect.gen(function* () {
        const { address, astray, error } = yield* world
        const questions = readerQuestions(astray.reader, address)
        for (const [name, question] of Object.entries(questions)) {
          yield* assertRefused(name, question, error)
        }
      }),
    timeoutMs
  )

  it.effect(
    "answers no question to a sender while its node is of another chain, and does not know what never fails",
    () =>
      Effect.gen(function* () {
        const { address, astray, error } = yield* world
        const { sender } = astray
        const questions = { ...senderQuestions(sender, traits, address), ...plannerQuestions(sender.planner, address) }
        for (const [name, question] of Object.entries<Effect.Effect<unknown, unknown>>(questions)) {
          yield* assertRefused(name, question, error)
        }
        const claimed = { txHash: "1".repeat(64), contract: null, units: 1n, to: address, senders: [], memo: null }
        const estimate = yield* sender.estimate({ from: address, to: address, contract: null, units: 20_000n })
        assert.deepStrictEqual([estimate.fee, estimate.recipientHoldsAsset], [null, null])
        assert.strictEqual((yield* sender.prove(claimed)).verdict, "UNREADABLE")
        assert.strictEqual((yield* sender.broadcast(Uint8Array.of(1, 2, 3)))._tag, "Unknown")
      }),
    timeoutMs
  )

  it.effect(
    "has no question that this suite does not ask a node of another chain",
    () =>
      Effect.gen(function* () {
        const { address, astray, error } = yield* world
        const { reader, sender } = astray
        const asked = new Set([...readerFacts, ...Object.keys(readerQuestions(reader, address))])
        for (const [name, more] of Object.entries(reader)) {
          if (asked.has(name)) continue
          // What an adapter offers beyond the port must wait as well.
          if (!Effect.isEffect(more)) return assert.fail(`${name} of the reader is not asked`)
          // The parts of an adapter need nothing from their surroundings.
          yield* assertRefused(name, more as Effect.Effect<unknown, unknown>, error)
        }
        const questions = Object.keys(senderQuestions(sender, traits, address))
        for (const name of Object.keys(sender)) {
          assert.include([...senderFacts, ...senderAnswers, "planner", ...questions], name)
        }
        const { planner } = sender
        const planned = [...plannerFacts, ...Object.keys(plannerQuestions(planner, address))]
        for (const name of [...Object.keys(planner), ...Object.keys(planner.provisioner ?? {})]) {
          assert.include(planned, name)
        }
      }),
    timeoutMs
  )
}
