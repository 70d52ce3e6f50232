import { Effect } from "effect"
import type { World } from "../world/World.ts"
import type { AtWork } from "./AtWork.ts"
import type { Connection } from "./connection.ts"
import { type HandedKey, handedKeys } from "./handedKeys.ts"
import { makeInsist } from "./insisting.ts"
import type { PartnerOfWorld } from "./letIn.ts"

/** How long it waits for the blocks of its registration to be final. */
const patienceMs = 600_000

/** What a partner of a world hands keys over with. */
interface HandsOver extends AtWork, Pick<Connection, "get"> {
  readonly world: World
  /** Somebody pays to an address. */
  readonly payTo: (address: string) => void
}

/** The keys of addresses that a partner has had before: it hands them over to the service, some after it was paid there. It moves nothing from them. */
export const makeHandingOver = (partner: PartnerOfWorld, { get, payTo, post, random, world }: HandsOver) => {
  const { chain, config, kernel, network, note } = world
  const { index } = partner
  const insist = makeInsist({ post, random }, 3_000)
  let left = config.handedKeys as number // counted down

  /** Until no block can come in the place of one that was known before: of such a block a clock says whether it is older, and clocks jump here. */
  const known = Effect.suspend(() => {
    const height = chain.blocks().length
    return kernel.waitFor(() => chain.finalCount() > height, patienceMs)
  })

  const watch = Effect.fnUntraced(function* (address: string, name: string) {
    const item = { network: config.network, address, reference: "to be handed over" }
    yield* insist("/v1/deposit-addresses", `watched-${name}`, JSON.stringify({ addresses: [item] }))
    yield* known
    partner.handing.add(address)
    note(`partner ${index} is paid on ${address} by a key that it will hand over`)
    for (let waits = 1 + random.below(3); waits > 0; waits--) {
      yield* Effect.sleep(random.below(config.activeMs / 2))
      payTo(address)
    }
    yield* Effect.sleep(random.below(config.activeMs / 2))
  })

  const askForWrappingKey = Effect.gen(function* () {
    for (;;) {
      const reply = yield* get("/v1/deposit-keys/wrapping-key")
      if (reply !== "broken" && reply.status === 200) return
      yield* Effect.sleep(1_000 + random.below(3_000))
    }
  })

  const handOver = Effect.fnUntraced(function* ({ publicKey, wrapped }: HandedKey, nth: number) {
    const name = `${index}-${nth}`
    const address = network.addressOf(Buffer.from(publicKey, "hex"))
    yield* Effect.sleep(random.below(config.activeMs / 2))
    const isWatched = random.chance(600)
    if (isWatched) yield* watch(address, name)
    yield* askForWrappingKey
    const body = JSON.stringify({ network: config.network, address, wrapped_b64: wrapped })
    yield* insist("/v1/deposit-keys", `handed-${name}`, body)
    if (!isWatched) yield* known
    partner.addresses.push(address)
    partner.handing.delete(address)
    note(`partner ${index} has handed over the key of ${address}`)
    left -= 1
  })

  const handAllOver = Effect.forEach((handedKeys[index] ?? []).slice(0, config.handedKeys), handOver, {
    concurrency: "unbounded",
    discard: true
  })

  return { handAllOver, isUnderWay: () => left > 0 }
}
