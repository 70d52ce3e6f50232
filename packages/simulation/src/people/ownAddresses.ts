import { Effect } from "effect"
import type { AtWork } from "./AtWork.ts"
import { makeInsist } from "./insisting.ts"
import type { PartnerOfWorld } from "./letIn.ts"
import type { World } from "../world/World.ts"

/** The account of each partner, as BIP 32 writes its public key (`m/44'/60'/0'` of a seed of 32 ones, and of 32 twos). */
const accountKeys = [
  "xpub6CzHs5JuXBZw64x3N642kBXZZYfZw2qjD8epaiK2bgVHZcyqmMDUtKktXEXK6cA6iYfKKBtSbvuiDmmf75FnkVKQzzcSN2qdi6nyEXtoogV",
  "xpub6Cfhugvte8oTJqTqLYDSMvov7hSxyYJemvBkpVo2f4zeu9EJkKo5Aqxda3L9V39gxsSWWKkKFfRetcDw6Fg5pdL4GdJBdXzm9Gh98TCgKSa"
] as const

/** For so long what it moves could be included, where transactions expire. */
const validMs = 60_000

/** What a partner of a world works with. */
interface OfPartner extends AtWork {
  readonly world: World
}

/** The addresses of a partner whose keys it holds itself: it registers one, has others derived from its account, and moves what came to them. */
export const makeOwnAddresses = (partner: PartnerOfWorld, { post, random, world }: OfPartner) => {
  const { accounts, assets, config, currencies, network, note } = world
  const { index } = partner

  const insistOn = makeInsist({ post, random }, 3_000)
  const insist = (path: string, key: string, body: object) => insistOn(path, key, JSON.stringify(body))

  const register = Effect.gen(function* () {
    const item = { network: config.network, address: network.stranger(random), reference: "own" }
    const { results = [] } = yield* insist("/v1/deposit-addresses", `registered-${index}`, { addresses: [item] })
    return results.flatMap(({ address }) => address?.address ?? [])
  })

  const derive = Effect.gen(function* () {
    const account = { network: config.network, xpub: accountKeys[index], index_from: 0, index_to: 9 }
    yield* insist("/v1/deposit-xpubs", `xpub-${index}`, account)
    const wanted = { network: config.network, reference: "derived", count: 2 }
    const { addresses = [] } = yield* insist("/v1/deposit-addresses/derive", `derived-${index}`, wanted)
    return addresses.map(({ address }) => address)
  })

  const open = Effect.gen(function* () {
    if (!config.ownAddresses) return
    for (const way of random.chance(500) ? [register, derive] : [derive, register]) {
      const addresses = yield* way
      partner.ownAddresses.push(...addresses)
      world.records.watched.push(...addresses)
    }
    note(`partner ${index} is paid on ${partner.ownAddresses.length} addresses of its own`)
  })

  /** How many transactions each of them has made. */
  const made = new Map<string, bigint>()

  /** It moves what stands on one of them, to an address of the service or of its own. */
  const move = Effect.sync(() => {
    // on bitcoin it would have to sign
    if (accounts === null) return
    const { chain, form } = accounts
    const contracts = [null, assets.token === null ? null : (currencies.byCode(assets.token)?.asset?.contract ?? null)]
    const held = partner.ownAddresses
      .flatMap((address) => contracts.map((contract) => ({ from: address, contract })))
      .filter(({ contract, from: address }) => chain.holds(address, contract) > 0n)
    const chosen = held[random.below(held.length)]
    if (chosen === undefined || random.chance(500)) return
    const { contract, from } = chosen
    const count = made.get(from) ?? 0n
    // one after the other
    if (!form.expires && chain.sequenceOf(from) !== count) return
    const once = form.expires
      ? { sequence: null, validUntil: chain.tip().time + validMs }
      : { sequence: count, validUntil: null }
    const there = chain.holds(from, contract)
    const units = random.chance(600) ? there : 1n + (there * BigInt(random.below(999))) / 1_000n
    const to = random.pick([from, ...partner.addresses, ...partner.ownAddresses])
    const hash = `0x${Buffer.from(random.bytes(32)).toString("hex")}`
    chain.take({ hash, from, outside: false, ...once, payments: [{ to, contract, units }], bid: 0n })
    world.records.movedByPartners.add(hash)
    made.set(from, count + 1n)
    note(`partner ${index} moves ${units} from an address of its own`)
  })

  return { open, move }
}
