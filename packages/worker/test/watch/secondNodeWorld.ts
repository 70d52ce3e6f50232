import type { Block, ChainReader, Tip, Transfer } from "@bursar/core/port/Chain"
import { HeldArrivals } from "@bursar/core/port/HeldArrivals"
import type { FakeChain } from "@bursar/testkit/fixtures/FakeChain"
import { newAddress } from "@bursar/testkit/fixtures/deposits"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { Effect, Logger } from "effect"
import { poolReader } from "../../src/nodes/poolReader.ts"
import type { SecondNodePolicy } from "../../src/watch/secondNode/SecondNode.ts"
import type { WatchLimits } from "../../src/watch/WatchLimits.ts"
import { begin, ethereum, statusOf, until, watching } from "./world.ts"

/** What a node says in place of what it knows. */
export interface Lies {
  block?: (block: Block) => Block
  header?: (header: Block) => Block
  tip?: (tip: Tip) => Tip
}

/** A node of an operator that can be made to lie. */
export const makeNode = () => {
  const chain = ethereum()
  const lies: Lies = {}
  const { reader } = chain
  const lying: ChainReader = {
    ...reader,
    tip: Effect.map(reader.tip, (tip) => lies.tip?.(tip) ?? tip),
    header: (number) => {
      const { header } = lies
      return header === undefined
        ? reader.header(number)
        : Effect.map(reader.header(number), (found) => header({ ...found, transfers: [] }))
    },
    block: (hash) => Effect.map(reader.block(hash), (block) => lies.block?.(block) ?? block)
  }
  return { chain, lies, reader: lying }
}

/** Everything above 100 base units needs two nodes. */
export const above100: SecondNodePolicy = {
  above: () => 100n,
  together: () => 1_000n,
  windowMs: 3_600_000,
  alone: "credit"
}

/** A network with nodes of two operators, or of those that are named, that see the same blocks, watched, with a tenant and two addresses on it. */
export const world = (
  policy = above100,
  operators: ReadonlyArray<string> = ["one", "two"],
  limits: Partial<WatchLimits> = {}
) =>
  Effect.gen(function* () {
    yield* begin
    const [first, second, third] = [makeNode(), makeNode(), makeNode()]
    const nodes = [first, second, third].slice(0, operators.length)
    const events: Array<string> = []
    const logged = Logger.layer([Logger.make(({ message }) => void events.push(String(message)))])
    const both = (move: (chain: FakeChain) => void) => {
      for (const { chain } of nodes) move(chain)
    }
    both((chain) => chain.mineMany(5))
    const { id } = yield* newTenant()
    const [address, other] = [yield* newAddress(id), yield* newAddress(id)]
    const reader = poolReader([first.reader, ...nodes.slice(1).map((node) => node.reader)], { operators })
    const watched = watching({ ...first.chain, reader }, limits, policy)
    yield* Effect.forkScoped(Effect.provide(watched, logged))
    yield* until(
      "it caught up",
      Effect.map(statusOf("ethereum"), (status) => status?.cursor?.hash === first.chain.latest().hash)
    )
    return {
      first,
      second,
      third,
      id,
      address: address.address,
      other: other.address,
      both,
      events,
      mine: (...transfers: ReadonlyArray<Transfer>) => {
        both((chain) => chain.mine(transfers))
        both((chain) => chain.mineMany(3))
      }
    }
  })

/** What is held and open. */
export const held = Effect.flatMap(HeldArrivals, ({ list }) => list({ network: "ethereum", open: true, limit: 10 }))

/** Waits until something is held so. */
export const untilHeld = (state: "waiting" | "disputed") =>
  until(
    `something is held as ${state}`,
    Effect.map(held, (all) => all.some((one) => one.state === state))
  )

/** A block in which these stand in place of what the same transactions do. */
export const withTransfer =
  (...transfers: ReadonlyArray<Transfer>) =>
  (block: Block): Block => ({
    ...block,
    transfers: block.transfers.flatMap((own) => [transfers.find(({ txHash }) => txHash === own.txHash) ?? own])
  })
