import { Effect } from "effect"
import { readAnswer } from "./answer.ts"
import type { AtWork } from "./AtWork.ts"
import type { PartnerOfWorld } from "./letIn.ts"
import type { World } from "../world/World.ts"

/** The customers of a partner: it has addresses issued for them, and they pay there. */
export const makeCustomers = (
  partner: PartnerOfWorld,
  { post, random, world }: AtWork & { readonly world: Pick<World, "network"> }
) => {
  const { assets, config, currencies, network, note } = world

  /** Has addresses issued until it gets them. */
  const openAddresses = Effect.gen(function* () {
    const body = JSON.stringify({ network: config.network, reference: "customers", count: 3 })
    while (partner.addresses.length === 0) {
      const reply = yield* post("/v1/deposit-addresses/issue", `addresses-${partner.index}`, body)
      const { addresses = [] } = reply === "broken" ? {} : readAnswer(reply.body)
      partner.addresses.push(...addresses.map(({ address }) => address))
      world.records.watched.push(...addresses.map(({ address }) => address))
      if (addresses.length === 0) yield* Effect.sleep(2_000)
    }
    note(`partner ${partner.index} has ${partner.addresses.length} addresses`)
  })

  /** Somebody pays to an address. */
  const payTo = (to: string): void => {
    const dollars = BigInt(20 + random.below(500)) * 1_000_000n
    const token = assets.token === null || random.chance(300) ? null : assets.token
    const contract = token === null ? null : (currencies.byCode(token)?.asset?.contract ?? null)
    const units = token === null ? assets.coinFor(10n * dollars) : dollars
    network.pay(random, { to, contract, units })
    note(`somebody pays ${units} to an address of partner ${partner.index}`)
  }

  /** Somebody pays to an address of the partner's customers. */
  const deposit = Effect.sync(() => {
    const [first, ...others] = [...partner.addresses, ...partner.ownAddresses, ...partner.handing]
    if (first !== undefined) payTo(random.pick([first, ...others]))
  })

  return { openAddresses, deposit, payTo }
}
